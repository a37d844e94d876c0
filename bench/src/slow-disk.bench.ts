/**
 * What a disk that takes 10 ms to flush does to calls that wait for no disk: refusals of forged documents a second, beside
 * commits that are made durable. The flush in a thread of the pool, as the storage does it, and in the event loop, as SQLite does by itself;
 * both against a disk that takes no time. In turns in one process.
 *
 * `--quick`: shorter rounds. Exit code 1 below the limit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuthMethod, createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { systemClock } from '@postern/ports';
import { loadSqliteDriver, openSqliteStorage } from '@postern/storage-sqlite';
import { createFakeCloud } from '@postern/testkit';
import { median, report } from './figures.js';
import { withForgedSignature } from './logins/forged.js';

const FLUSH_MS = 10;
const LEAST = 0.6;
const TARGET = 0.8;
const IS_QUICK = process.argv.includes('--quick');
const ROUNDS = IS_QUICK ? 3 : 5;
const ROUND_MS = IS_QUICK ? 600 : 2000;
/** Each pauses for so many milliseconds after a commit: a thousand commits a second. */
const WRITERS = 16;
const VERIFIERS = 4;
/** About what a login leaves behind. */
const VALUE = 'x'.repeat(600);

const cloud = createFakeCloud({ clock: systemClock });

const documents = Array.from({ length: 100 }, () =>
  withForgedSignature(cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048),
);

type Flush = (descriptor: number) => Promise<void>;
const FLUSHES: Readonly<Record<'none' | 'pool' | 'loop', Flush>> = {
  none: async () => undefined,
  pool: () => sleep(FLUSH_MS),
  loop: async () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FLUSH_MS);
  },
};

let commits = 0;

type Side = Awaited<ReturnType<typeof openSide>>;

async function openSide(folder: string, name: keyof typeof FLUSHES) {
  const { open } = await loadSqliteDriver();
  const storage = await openSqliteStorage({ file: join(folder, `${name}.db`), driver: { open, flush: FLUSHES[name] } });
  const builtInCertificates = cloud.defaultCertificates();
  const ports = { storage, audit: { record: () => undefined }, crypto: createNodeCrypto(), cloud };
  const method = createAuthMethod(ports, { builtInCertificates });
  await method.roles.write('bench', { auth_type: 'ec2', bound_ami_id: 'ami-1' });
  return { method, storage };
}

function login(method: AuthMethod, pkcs7: string) {
  const fields = { role: 'bench', pkcs7 };
  return method.handle({
    operation: 'login',
    params: {},
    requestId: 'bench',
    peerAddress: '127.0.0.1',
    token: undefined,
    fields,
  });
}

/** Refusals of forged documents a second, and the delay of the event loop, while commits are written. */
async function measure({ method, storage }: Side) {
  const until = performance.now() + ROUND_MS;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let refused = 0;
  const verify = async () => {
    while (performance.now() < until) {
      await login(method, documents[refused % documents.length] ?? '').then(
        () => {
          throw new Error('a forged document was accepted');
        },
        () => {
          refused += 1;
        },
      );
      // Each as if it came over a connection of its own.
      await new Promise(setImmediate);
    }
  };
  const write = async () => {
    while (performance.now() < until) {
      commits += 1;
      await storage.commit([{ type: 'put', key: `entry ${commits}`, value: VALUE, if: 'absent' }]);
      await sleep(WRITERS);
    }
  };
  await Promise.all([...Array.from({ length: VERIFIERS }, verify), ...Array.from({ length: WRITERS }, write)]);
  delay.disable();
  return { rate: (refused * 1000) / ROUND_MS, p99Ms: delay.percentile(99) / 1e6 };
}

const folder = mkdtempSync(join(tmpdir(), 'postern-slow-disk-'));
try {
  const names = ['none', 'pool', 'loop'] as const;
  const sides = await Promise.all(names.map((name) => openSide(folder, name)));
  const measured: Awaited<ReturnType<typeof measure>>[][] = sides.map(() => []);
  for (let round = -1; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < sides.length; turn += 1) {
      const at = (round + 1 + turn) % sides.length;
      const side = sides[at];
      if (side === undefined) continue;
      const figures = await measure(side);
      // The first round warms up.
      if (round >= 0) measured[at]?.push(figures);
    }
  }
  const [none = [], pool = [], loop = []] = measured;
  const shares = (of: typeof pool) => of.map(({ rate }, round) => rate / (none[round]?.rate ?? Number.NaN));
  for (const [name, of] of [
    ['no flush', none],
    [`${FLUSH_MS} ms in the pool`, pool],
    [`${FLUSH_MS} ms in the event loop`, loop],
  ] as const) {
    const p99 = median(of.map(({ p99Ms }) => p99Ms)).toFixed(1);
    console.log(
      `${name}: ${median(of.map(({ rate }) => rate)).toFixed(0)} refusals a second, loop delay p99 ${p99} ms`,
    );
  }
  report({
    name: 'refusals beside a slow disk / a fast one',
    ratios: shares(pool),
    better: 'higher',
    target: TARGET,
    limit: LEAST,
  });
  console.log(`  flushed in the event loop: ${median(shares(loop)).toFixed(2)}`);
  await Promise.all(sides.map(({ storage }) => storage.close()));
} finally {
  rmSync(folder, { recursive: true });
}
