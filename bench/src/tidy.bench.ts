/**
 * Tidy of 1,000 expired entries on SQLite, among 1,000 and among 200,000: the CPU of a run must follow what has expired,
 * not what is stored (TIDY-8). The small store is the ceiling; rounds alternate in the same process.
 *
 * `--quick`: 50,000 instead of 200,000. Exit code 1 when the ratio is above 2.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuthMethod, createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { Storage } from '@postern/ports';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { putEntries } from './entries.js';
import { median, report } from './figures.js';

const EXPIRED = 1000;
const ROUNDS = 5;
const DAY = 86_400_000;
const GREATEST_RATIO = 2;

const crypto = createNodeCrypto();

interface Store {
  readonly storage: Storage;
  readonly method: AuthMethod;
  readonly now: number;
}

async function openStore(file: string, young: number): Promise<Store> {
  const now = Date.now();
  const storage = await openSqliteStorage({ file });
  const method = createAuthMethod({
    storage,
    clock: { now: () => now },
    crypto,
    audit: { record: () => undefined },
    cloud: {
      describeInstance: async () => undefined,
      rolesOfProfile: async () => undefined,
      describePrincipal: async () => undefined,
    },
  });
  await fill(storage, 'young', young, now + DAY);
  return { storage, method, now };
}

const fill = (storage: Storage, name: string, count: number, expiresAt: number) =>
  putEntries(storage, count, (number) => `i-${name}-${String(number).padStart(8, '0')}`, expiresAt);

/** CPU milliseconds of one run over `EXPIRED` entries, put there for it. */
async function measure({ storage, method, now }: Store): Promise<number> {
  await fill(storage, 'old', EXPIRED, now - 10 * DAY);
  const before = process.cpuUsage();
  await method.handleAsHost({
    operation: 'tidy.identity-accesslist',
    params: {},
    // Asking the cloud is not what is measured here.
    fields: { tidy_keep_existing_instances: false },
    requestId: 'bench',
    peerAddress: undefined,
  });
  await method.settled();
  const { user, system } = process.cpuUsage(before);
  const { data = {} } = await method.handleAsHost({
    operation: 'tidy.status',
    params: {},
    fields: {},
    requestId: 'bench',
    peerAddress: undefined,
  });
  const { removed } = data['identity-accesslist'] as { removed: number };
  if (removed !== EXPIRED) throw new Error(`removed ${removed} of ${EXPIRED}`);
  return (user + system) / 1000;
}

const total = process.argv.includes('--quick') ? 50_000 : 200_000;
const folder = mkdtempSync(join(tmpdir(), 'postern-tidy-'));
try {
  const few = await openStore(join(folder, 'few.db'), 0);
  const many = await openStore(join(folder, 'many.db'), total - EXPIRED);
  await measure(few);
  await measure(many);
  const costs: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    costs.few.push(await measure(few));
    costs.many.push(await measure(many));
  }
  console.log(
    `tidy of ${EXPIRED} expired among ${EXPIRED}: ${median(costs.few).toFixed(1)} ms of CPU (median of ${ROUNDS})`,
  );
  console.log(`tidy of ${EXPIRED} expired among ${total}: ${median(costs.many).toFixed(1)} ms of CPU`);
  const ratios = costs.many.map((many, round) => many / (costs.few[round] ?? Number.NaN));
  report({
    name: 'tidy among many / among few',
    ratios,
    better: 'lower',
    limit: GREATEST_RATIO,
    size: { of: 'tidy of 1,000 expired', from: EXPIRED, is: total },
  });
  await few.storage.close();
  await many.storage.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
