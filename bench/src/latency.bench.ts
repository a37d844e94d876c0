/**
 * How evenly durable `ec2` logins are answered: open load at half of what the server can do, against a bare server at half of what that
 * one can, in turns; the longest wait for the usual one, and how long the event loop was held. The load comes from this process, the
 * servers are others. On a busy machine both wait for a core: for how long is printed beside each figure.
 *
 * `--quick`: shorter rounds. Exit code 1 when a login is refused.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFakeCloud } from '@postern/testkit';
import { median, report, spread } from './figures.js';
import { ceilingBodies } from './logins/ceiling-bodies.js';
import { type CeilingInput, runCeiling } from './logins/ceiling-part.js';
import { startChild } from './logins/child-report.js';
import { measure, type Side } from './logins/in-turns.js';
import { sendAtRate } from './logins/open-load.js';
import { type PosternInput, ROLE, runPostern } from './logins/postern-part.js';

const IMAGE_ID = 'ami-0123456789abcdef0';
const CONNECTIONS = 64;

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly delayMs: number;
  /** Without a core, of each second. */
  readonly waitMs: number;
}

async function main(isQuick: boolean): Promise<void> {
  const [rounds, seconds] = isQuick ? [3, 2] : [5, 8];
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const script = fileURLToPath(import.meta.url);
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const body = () => {
    const document = cloud.launchInstance({ imageId: IMAGE_ID }).identityDocument();
    return JSON.stringify({ role: ROLE, pkcs7: document.rsa2048.replaceAll('\n', '') });
  };
  const take = (count: number) => Array.from({ length: count }, body);
  const bare = ceilingBodies(body().length);
  const input: PosternInput = { folder, imageId: IMAGE_ID, certificates: cloud.defaultCertificates() };
  const ceilingInput: CeilingInput = { folder, publicKey: bare.publicKey };
  const sides: readonly Side[] = [
    { child: await startChild(script, 'postern', input), path: '/v1/auth/cloud/login', take },
    { child: await startChild(script, 'ceiling', ceilingInput), path: '/', take: bare.take },
  ];
  try {
    const rates: number[] = [];
    for (const side of sides) {
      await measure(side, 1000, CONNECTIONS);
      const { answered, elapsedMs } = await measure(side, 2000, CONNECTIONS);
      rates.push(answered / (elapsedMs / 1000) / 2);
    }
    const [ours = [], least = []] = await measureRounds(sides, rates, { rounds, seconds });
    const tails = (of: readonly Round[]) => of.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms);
    const bareTails = tails(least);
    const ratios = tails(ours).map((tail, round) => tail / (bareTails[round] ?? Number.NaN));
    report({ name: 'p99 / p50 at half load / bare', ratios, better: 'lower', target: 1.5, judged: false });
    for (const [side, of, rate] of [
      ['postern', ours, rates[0]],
      ['bare', least, rates[1]],
    ] as const) {
      const ms = (pick: keyof Round) => median(of.map((round) => round[pick])).toFixed(1);
      console.log(
        `  ${side} at ${rate?.toFixed(0)}/s: p99 / p50 ${spread(tails(of))}; p50 ${ms('p50Ms')} ms, p99 ${ms('p99Ms')} ms, event loop delay p99 ${ms('delayMs')} ms; ${ms('waitMs')} ms a second without a core`,
      );
    }
  } finally {
    await Promise.all(sides.map(({ child }) => child.stop()));
    rmSync(folder, { recursive: true });
  }
}

async function measureRounds(
  sides: readonly Side[],
  rates: readonly number[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly (readonly Round[])[]> {
  const measured: Round[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { child, path, take }] of sides.entries()) {
      const perSecond = rates[at] ?? Number.NaN;
      const bodies = take(Math.ceil(perSecond * seconds));
      await child.delayMs();
      const [startedAt, waitBefore] = [performance.now(), await child.waitMs()];
      const sorted = await sendAtRate(child.port, path, { bodies, perSecond, connections: CONNECTIONS });
      const share = (of: number) => sorted[Math.floor(sorted.length * of)] ?? Number.NaN;
      const waitMs = ((await child.waitMs()) - waitBefore) / ((performance.now() - startedAt) / 1000);
      measured[at]?.push({ p50Ms: share(0.5), p99Ms: share(0.99), delayMs: await child.delayMs(), waitMs });
    }
  }
  return measured;
}

const [, , part, json = ''] = process.argv;
if (part === 'postern') await runPostern(JSON.parse(json) as PosternInput);
else if (part === 'ceiling') await runCeiling(JSON.parse(json) as CeilingInput);
else await main(process.argv.includes('--quick'));
