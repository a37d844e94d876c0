/**
 * What a durable `ec2` login costs among few and among many stored entries, and how the server's memory grows with the instances
 * that log in. One server and one database file for each size, the same load in turns.
 *
 * `--quick`: up to 100,000 entries, and no growth. Exit code 1 beyond a limit.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFakeCloud } from '@postern/testkit';
import { putEntries } from './entries.js';
import { report } from './figures.js';
import { startChild } from './logins/child-report.js';
import { measure, measureInTurns, ratiosOf, type Side } from './logins/in-turns.js';
import { type PosternInput, ROLE, runPostern } from './logins/postern-part.js';

const IS_QUICK = process.argv.includes('--quick');
const SMALLEST = 1000;
const SIZES = IS_QUICK ? [SMALLEST, 100_000] : [SMALLEST, 10_000, 100_000, 1_000_000];
const TURNS = IS_QUICK
  ? { rounds: 3, perRound: 1000, connections: 64 }
  : { rounds: 5, perRound: 3000, connections: 64 };
/** 85 % of the rate; a busy machine moves the median. */
const TARGET = 1.18;
const GREATEST_COST = 1.5;
const GROWTH = { instances: 100_000, megabytes: 40 };
const LIFETIME_MS = 32 * 86_400_000;

const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
const imageId = 'ami-0123456789abcdef0';

/** Entries as logins leave them, of instances whose ids are spread as the cloud's are. */
async function fill(file: string, count: number): Promise<void> {
  const storage = await openSqliteStorage({ file });
  await putEntries(storage, count, (number) => `i-${spread(number)}`, Date.now() + LIFETIME_MS);
  await storage.close();
}

/** Different numbers in an order that looks like chance: an odd factor modulo a power of two. */
function spread(number: number): string {
  const spreadOut = (BigInt(number + 1) * 0x9e3779b97f4a7c15n) % 2n ** 68n;
  return spreadOut.toString(16).padStart(17, '0');
}

const body = () => {
  const pkcs7 = cloud.launchInstance({ imageId }).identityDocument().rsa2048.replaceAll('\n', '');
  return JSON.stringify({ role: ROLE, pkcs7 });
};

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-scale-'));
  const sides: Side[] = [];
  try {
    for (const size of SIZES) {
      const own = join(folder, `${size}`);
      mkdirSync(own);
      await fill(join(own, 'postern.db'), size);
      const input: PosternInput = { folder: own, imageId, certificates: cloud.defaultCertificates() };
      const child = await startChild(fileURLToPath(import.meta.url), 'postern', input);
      sides.push({ child, path: '/v1/auth/cloud/login', take: (count) => Array.from({ length: count }, body) });
    }
    const [few = [], ...larger] = await measureInTurns(sides, TURNS);
    for (const [at, many] of larger.entries()) {
      const size = SIZES[at + 1] ?? Number.NaN;
      report({
        name: `login among ${size.toLocaleString('en')} entries / among ${SMALLEST.toLocaleString('en')}`,
        ratios: ratiosOf(many, few),
        better: 'lower',
        target: TARGET,
        limit: GREATEST_COST,
        size: { of: 'first login', from: SMALLEST, is: size },
      });
    }
    const [smallest] = sides;
    if (!IS_QUICK && smallest !== undefined) await reportGrowth(smallest);
  } finally {
    await Promise.all(sides.map(({ child }) => child.stop()));
    rmSync(folder, { recursive: true });
  }
}

async function reportGrowth(side: Side): Promise<void> {
  const before = await side.child.rssBytes();
  for (let done = 0; done < GROWTH.instances; done += 10_000) await measure(side, 10_000, TURNS.connections);
  const grown = ((await side.child.rssBytes()) - before) / 1e6;
  console.log(`RSS after ${GROWTH.instances.toLocaleString('en')} more instances: ${grown.toFixed(0)} MB more`);
  report({
    name: `growth of RSS by 100,000 instances / ${GROWTH.megabytes} MB`,
    ratios: [grown / GROWTH.megabytes],
    better: 'lower',
    limit: 1,
  });
}

const [, , part, json = ''] = process.argv;
if (part === 'postern') await runPostern(JSON.parse(json) as PosternInput);
else await main();
