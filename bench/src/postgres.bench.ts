/**
 * Durable commits of one row a second on PostgreSQL, through Postern's storage and, as the ceiling, as a bare insert of the
 * driver: the same server, connections, callers and bytes, in turns. A commit of ours checks that the key is absent, takes its
 * lock and gives it a version besides.
 *
 * Skipped where PostgreSQL is not installed. `--quick`: shorter rounds. Exit code 1 when the ratio is below 0.35.
 */
import { openPostgresStorage } from '@postern/storage-postgres';
import { Pool } from 'pg';
import { createCluster, findPrograms } from '../../interop/postgres/cluster.js';
import { median, report } from './figures.js';

const ROUNDS = 5;
const ROUND_MS = process.argv.includes('--quick') ? 300 : 400;
const WARM_UP_MS = 300;
const CALLERS = 16;
const CONNECTIONS = 8;
/** About what a login leaves behind. */
const VALUE = 'x'.repeat(600);
const LEAST_RATIO = 0.35;

/** Commits a second, by callers who wait for each. */
async function rateOf(commit: (id: string) => Promise<unknown>, name: string, ms: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  const caller = async (number: number) => {
    for (let count = 0; performance.now() - start < ms; count += 1) {
      await commit(`${name}/${number}/${count}`);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)));
  return (done * 1000) / (performance.now() - start);
}

async function measure(programs: string): Promise<void> {
  const cluster = await createCluster({}, programs);
  try {
    const storage = await openPostgresStorage({ ...cluster.connection, maxConnections: CONNECTIONS });
    const pool = new Pool({ ...cluster.connection, max: CONNECTIONS });
    await cluster.query('CREATE TABLE public.ceiling (key bytea PRIMARY KEY, value bytea NOT NULL)');
    const insert = { name: 'insert', text: 'INSERT INTO public.ceiling (key, value) VALUES ($1, $2)' };
    const bare = (id: string) => pool.query({ ...insert, values: [Buffer.from(id), Buffer.from(VALUE)] });
    const ours = (id: string) => storage.commit([{ type: 'put', key: id, value: VALUE, if: 'absent' }]);
    await rateOf(bare, 'warm', WARM_UP_MS);
    await rateOf(ours, 'warm', WARM_UP_MS);
    const rates: { readonly bare: number; readonly ours: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.push({ bare: await rateOf(bare, `${round}`, ROUND_MS), ours: await rateOf(ours, `${round}`, ROUND_MS) });
    }
    await pool.end();
    await storage.close();
    const shown = (name: 'bare' | 'ours') => Math.round(median(rates.map((rate) => rate[name]))).toLocaleString('en');
    console.log(`bare insert      ${shown('bare')} durable commits a second`);
    console.log(`postern storage  ${shown('ours')} durable commits a second`);
    const ratios = rates.map((rate) => rate.ours / rate.bare);
    report({ name: 'durable commits / bare inserts, PostgreSQL', ratios, better: 'higher', limit: LEAST_RATIO });
  } finally {
    await cluster.remove();
  }
}

const programs = findPrograms(['--present']);
if (programs === '') console.log('skipped: PostgreSQL is not installed');
else await measure(programs);
