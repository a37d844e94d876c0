/**
 * What PostgreSQL's relatives ask of a client (Aurora, YugabyteDB, poolers): transactions that are refused with 40001 are sent again,
 * for a bounded time; nothing is kept in a session; no construct that they do not have is needed. No such engine runs here: errors are
 * injected, and what is sent is compared with what their documents exclude.
 */
import type { Storage } from '@postern/ports';
import {
  openPostgresRates,
  openPostgresStorage,
  type PostgresPool,
  type PostgresPoolClient,
} from '@postern/storage-postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster } from './cluster.js';
import { createWire } from './wire.js';

let cluster: Cluster;
let pool: Pool;
/** What becomes of the next commits: a code to refuse one with, after it was rolled back. */
let refusals: string[] = [];
/** Of each commit that was sent: whether it locks the table. */
let sent: boolean[] = [];
let storage: Storage;

const refusal = (code: string) => Object.assign(new Error('refused'), { code, severity: 'ERROR' });

/** A pool whose engine refuses commits. */
function refusing(inner: Pool): PostgresPool {
  return {
    async connect() {
      const client = await inner.connect();
      return {
        // Transactions that make the schema are asked by their text alone.
        query: async (question: Parameters<PostgresPoolClient['query']>[0] | string) => {
          if (typeof question === 'string') return client.query<object>(question);
          const values = question.values ?? [];
          if (!question.text.includes('commit_rows(\n')) return client.query<object>({ ...question, values });
          sent.push(values[8] === true);
          const code = refusals.shift();
          if (code !== undefined) throw refusal(code);
          return client.query<object>({ ...question, values });
        },
        on: (event, listener) => client.on(event, listener),
        release: (destroy) => client.release(destroy),
      };
    },
  };
}

beforeAll(async () => {
  cluster = await createCluster();
  pool = new Pool({ ...cluster.connection, max: 4 });
  pool.on('error', () => undefined);
  storage = await openPostgresStorage({ pool: refusing(pool) });
});
afterAll(async () => {
  await storage.close();
  await pool.end();
  await cluster.remove();
});

const put = (key: string) => storage.commit([{ type: 'put', key, value: 'v', if: 'absent' }]);

async function putRefused(key: string, codes: readonly string[]) {
  refusals = [...codes];
  sent = [];
  const startedAt = performance.now();
  const outcome = await put(key).then(
    () => 'committed',
    (error: { code: string }) => error.code,
  );
  return { outcome, ms: performance.now() - startedAt };
}

describe('a commit that the engine refuses', () => {
  it.each(['40001', '40P01'])('with %s is sent again until it goes through', async (code) => {
    expect(
      await putRefused(
        `again ${code}`,
        Array.from({ length: 6 }, () => code),
      ),
    ).toMatchObject({ outcome: 'committed' });
    expect(sent).toHaveLength(7);
  });

  it('each time is unavailable after eight, within seconds, and nothing was applied', async () => {
    const { outcome, ms } = await putRefused(
      'never',
      Array.from({ length: 50 }, () => '40001'),
    );
    refusals = [];
    expect([outcome, sent.length]).toEqual(['unavailable', 8]);
    expect(ms).toBeLessThan(4_000);
    expect(await storage.get('never')).toBeUndefined();
  });

  it('with another reason is not sent again', async () => {
    expect(await putRefused('full', ['53100'])).toMatchObject({ outcome: 'unavailable' });
    expect(sent).toHaveLength(1);
  });

  it('because it locks no tables waits for the row instead', async () => {
    // A row that is locked for long, a table that cannot be locked, and then the row again.
    expect(await putRefused('row', ['55P03', '0A000'])).toMatchObject({ outcome: 'committed' });
    expect(sent).toEqual([false, true, false]);
  });
});

/**
 * State of a session, which a pooler in transaction mode hands to another client, and which YugabyteDB and Aurora's proxy do without:
 * settings, cursors, notifications, temporary tables, locks and numbers of the session.
 */
const OF_THE_SESSION =
  /(?:^|;)\s*(?:SET\s+(?!LOCAL\b)|RESET\b)|\b(?:LISTEN|NOTIFY|UNLISTEN|DISCARD|DECLARE\s+\w+\s+CURSOR|PREPARE\s+\w+\s+AS|currval|lastval)\b|\bTEMP(?:ORARY)?\s+TABLE\b|pg_(?:try_)?advisory_lock\w*|set_config\([^()]*,\s*false\)/i;
/** Not in YugabyteDB (PostgreSQL compatibility); `LOCK TABLE` is done without, above. */
const NOT_ELSEWHERE =
  /\b(?:INHERITS|EXCLUDE\s+USING|DEFERRABLE|XMLTABLE|PREPARE\s+TRANSACTION|USING\s+gist|MERGE\s+INTO)\b/i;

describe('what is sent', () => {
  it('keeps nothing in the session, and is one statement a call beyond the making of the schema', async () => {
    const wire = await createWire(cluster.port);
    const options = { ...cluster.connection, port: wire.port, schema: 'heard', maxConnections: 1 };
    const heard = await openPostgresStorage(options);
    const making = [...wire.asked()];
    wire.clear();
    await heard.commit([
      { type: 'put', key: 'k', value: 'v', if: 'absent', expiresAt: 1 },
      { type: 'check', key: 'none', if: 'absent' },
      { type: 'append', log: 'l', value: 'v' },
    ]);
    await heard.get('k');
    await heard.list('', { limit: 1, values: true });
    await heard.list('', { limit: 1 });
    await heard.readLog('l', { limit: 1 });
    await heard.removeFromLog('l', ['1']);
    await heard.now?.();
    expect(wire.asked()).toHaveLength(7);
    await heard.listExpired('', 10, { limit: 1 });
    const rates = openPostgresRates(options);
    await rates.exchange([{ key: 'peer', cost: 1, limits: { perSecond: 1, burst: 2 } }]);
    const all = [...making, ...wire.asked()];
    expect(all.length).toBeGreaterThan(20);
    for (const text of all) {
      expect(text).not.toMatch(OF_THE_SESSION);
      expect(text).not.toMatch(NOT_ELSEWHERE);
    }
    await rates.close();
    await heard.close();
    await wire.close();
  });

  it.each([
    'SET statement_timeout = 5',
    "set search_path to 'x'",
    'SELECT pg_advisory_lock(1)',
    'CREATE TEMPORARY TABLE t ()',
    'LISTEN c',
    "SELECT currval('s')",
    "SELECT set_config('a', 'b', false)",
  ])('would be found out: %s', (text) => {
    expect(text).toMatch(OF_THE_SESSION);
  });
});
