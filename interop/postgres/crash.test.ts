/**
 * Durability (STORE-2): what was acknowledged is there, whole, after the death of the process and after that of the
 * database, also where the database's own defaults would give a commit away or isolate it otherwise.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startChild } from '@postern/internal';
import { isStorageError, type Storage } from '@postern/ports';
import { openPostgresStorage } from '@postern/storage-postgres';
import { checkCrashLoad, runCrashLoad } from '@postern/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleChild } from '../../scripts/lib/bundle-child.mjs';
import { type Cluster, createCluster } from './cluster.js';

const PROCESS_KILLS = 5;
const DATABASE_KILLS = 4;
const pauseOf = (round: number) => 60 + ((round * 137) % 331);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const script = fileURLToPath(new URL(`../node_modules/.postgres-child-${process.pid}.mjs`, import.meta.url));
let cluster: Cluster;

beforeAll(async () => {
  await bundleChild(new URL('./child.ts', import.meta.url), script);
  // With these an acknowledged commit of a client that does not ask for more is lost by a crash within ten seconds.
  const defaults = {
    synchronous_commit: 'off',
    wal_writer_delay: '10s',
    default_transaction_isolation: 'serializable',
  };
  cluster = await createCluster(defaults);
});
afterAll(async () => {
  rmSync(script, { force: true });
  await cluster.remove();
});

it(`keeps every acknowledged commit whole over ${PROCESS_KILLS} kills of the process`, async () => {
  const acknowledged: string[] = [];
  const storage = await openPostgresStorage(cluster.connection);
  for (let round = 0; round < PROCESS_KILLS; round += 1) {
    const child = startChild(script, [cluster.connectionString, `r${round}`]);
    await child.said(10);
    await pause(pauseOf(round));
    await child.kill();
    acknowledged.push(...child.lines().slice(1));
    // A commit that was sent when the process died ends by itself: until then it may be seen to arrive, whole.
    expect(await checkCrashLoad(storage, acknowledged)).toBeGreaterThanOrEqual(acknowledged.length);
  }
  expect(acknowledged.length).toBeGreaterThan(PROCESS_KILLS * 10);
  await storage.close();
});

it(`keeps every acknowledged commit whole over ${DATABASE_KILLS} deaths of the database, and goes on by itself`, async () => {
  const acknowledged: string[] = [];
  const storage = await openPostgresStorage({ ...cluster.connection, schema: 'deaths' });
  for (let round = 0; round < DATABASE_KILLS; round += 1) {
    const load = runUntilFailure(storage, `d${round}`, acknowledged);
    await pause(200 + pauseOf(round));
    await cluster.stop('immediate');
    expect(['unavailable', 'outcome_unknown']).toContain(await load);
    await expect(storage.get('any')).rejects.toMatchObject({ name: 'StorageError', code: 'unavailable' });
    await cluster.start();
    expect(await checkCrashLoad(storage, acknowledged)).toBeGreaterThanOrEqual(acknowledged.length);
    const { versions } = await storage.commit([{ type: 'put', key: 'next', value: 'v', if: 'any' }]);
    const given = new Set(acknowledged.flatMap((line) => line.split(' ').slice(1)));
    expect(given.has(String(versions[0]))).toBe(false);
  }
  expect(acknowledged.length).toBeGreaterThan(DATABASE_KILLS * 10);
  await storage.close();
});

/** @returns the code that the load ended with. */
async function runUntilFailure(storage: Storage, round: string, acknowledged: string[]): Promise<string> {
  try {
    return await runCrashLoad(storage, round, (line) => acknowledged.push(line));
  } catch (error) {
    return isStorageError(error) ? error.code : String(error);
  }
}
