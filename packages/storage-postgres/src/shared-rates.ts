/**
 * Rates that servers share (WIRE-29): a row for each bucket that somebody draws on, in a table that is not logged, for it may be lost.
 * One statement an exchange, on a connection of its own, so that logins and rates never wait for each other. The clock is the database's.
 */
import { type CallOptions, type RateExchange, type RateTaking, type SharedBucket, StorageError } from '@postern/ports';
import type { QueryResultRow } from 'pg';
import type { Connections } from './connections.js';
import { codeOf, safeCause } from './failure.js';
import { prepareConnections } from './open-database.js';
import type { PostgresStorageOptions } from './options.js';
import { keyOf, textToBytes } from './rows.js';
import { MADE_MEANWHILE } from './schema.js';
import { settingsOf } from './settings.js';
import { type Statement, statement } from './statements.js';

/** A longer wait tells of other times than now. */
const STATEMENT_TIMEOUT_MS = 3_000;
/** Addresses and digests are shorter. Other keys are not shared. */
const MAX_KEY_LENGTH = 128;
/** Debt beyond this is forgiven: no peer waits for longer, however many servers it asked at once. Seconds. */
const MAX_DEBT_SECONDS = 60;
const MAX_TOLD = 1_000;
const MAX_LOW = 1_000;
const MAX_SWEPT = 100_000;
const SWEEP_EVERY_MS = 30_000;
const MAX_ATTEMPTS = 3;
const UNDEFINED_TABLE = '42P01';

export interface PostgresRates extends RateExchange {
  /** Waits for an exchange under way. A pool of the host stays open. */
  close(): Promise<void>;
}

/**
 * Shares rates through the database of `openPostgresStorage`, which makes the schema: open it first. Connects at the first exchange, and
 * makes its table where it is missing.
 *
 * @param options as for the storage; one connection is used, whatever `maxConnections` says.
 * @throws PostgresOpenError `not_encrypted`, `unusable`; TypeError for invalid options.
 * @example
 * ```ts
 * const rateExchange = openPostgresRates({ host: 'db.internal', database: 'postern', user: 'postern', tls: true });
 * const server = await createServer({ storage, audit, provider, rateExchange });
 * ```
 */
export function openPostgresRates(options: PostgresStorageOptions = {}): PostgresRates {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, pool } = options;
  const settings = settingsOf({
    ...options,
    ...(pool === undefined ? { maxConnections: 1 } : {}),
    statementTimeoutMs: Math.min(statementTimeoutMs, STATEMENT_TIMEOUT_MS),
  });
  const connections = prepareConnections(settings);
  const { exchange, sweep, create } = statementsOf(settings.schema);
  let sweptAt = performance.now();
  let underWay: Promise<unknown> = Promise.resolve();

  async function run(takings: readonly RateTaking[], signal: AbortSignal | undefined) {
    const rows = await askWithTable(connections, { exchange, create }, valuesOf(takings), signal);
    if (performance.now() - sweptAt > SWEEP_EVERY_MS) {
      sweptAt = performance.now();
      await connections.repeat(sweep, [], MAX_ATTEMPTS, signal);
    }
    return rows.map(bucketOf);
  }

  return {
    async exchange(takings, { signal }: CallOptions = {}) {
      const running = run(takings, signal);
      underWay = running.catch(() => undefined);
      try {
        return await running;
      } catch (error) {
        throw new StorageError('unavailable', 'the rates were not exchanged', { cause: safeCause(error) });
      }
    },
    async close() {
      await underWay;
      await connections.end();
    },
  };
}

interface BucketRow extends QueryResultRow {
  readonly key: Buffer;
  readonly tokens: string;
  readonly per_second: string;
  readonly burst: string;
}

async function askWithTable(
  connections: Connections,
  { exchange, create }: Pick<RateStatements, 'exchange' | 'create'>,
  values: unknown[],
  signal: AbortSignal | undefined,
): Promise<readonly BucketRow[]> {
  try {
    return await connections.repeat<BucketRow>(exchange, values, MAX_ATTEMPTS, signal);
  } catch (error) {
    if (codeOf(error) !== UNDEFINED_TABLE) throw error;
  }
  for (const each of create) {
    await connections.repeat(each, [], MAX_ATTEMPTS, signal).catch((error: unknown) => {
      if (!MADE_MEANWHILE.has(codeOf(error) ?? '')) throw error;
    });
  }
  return connections.repeat<BucketRow>(exchange, values, MAX_ATTEMPTS, signal);
}

function valuesOf(takings: readonly RateTaking[]): unknown[] {
  const told = takings
    .filter(({ key }) => key.length <= MAX_KEY_LENGTH && !/\p{Surrogate}/u.test(key))
    .slice(0, MAX_TOLD)
    .map(({ key, cost, limits }) => ({ key: textToBytes(key), cost, ...limits }));
  return [
    told.map(({ key }) => key),
    told.map(({ cost }) => cost),
    told.map(({ perSecond }) => perSecond),
    told.map(({ burst }) => burst),
    told.filter(({ cost }) => cost === 0).map(({ key }) => key),
  ];
}

function bucketOf({ key, tokens, per_second, burst }: BucketRow): SharedBucket {
  return {
    key: keyOf({ key }),
    tokens: Number(tokens),
    limits: { perSecond: Number(per_second), burst: Number(burst) },
  };
}

interface RateStatements {
  readonly exchange: Statement;
  readonly sweep: Statement;
  readonly create: readonly Statement[];
}

function statementsOf(schema: string): RateStatements {
  const rates = `${schema}.rates`;
  const now = 'extract(epoch FROM now())::double precision';
  const held = (row: string) =>
    `least(${row}.burst, ${row}.tokens + greatest(0, ${now} - ${row}.at) * ${row}.per_second)`;
  return {
    // Rows are locked in the order of their keys: two servers never wait for each other. `cost` is kept for the row that was there.
    exchange: statement(`WITH taken AS (
        INSERT INTO ${rates} AS r (key, tokens, per_second, burst, at, cost)
        SELECT key, greatest(-${MAX_DEBT_SECONDS} * per_second, least(burst, burst - cost)), per_second, burst, ${now}, cost
          FROM unnest($1::bytea[], $2::double precision[], $3::double precision[], $4::double precision[])
            AS t (key, cost, per_second, burst) WHERE cost <> 0 ORDER BY key
        ON CONFLICT (key) DO UPDATE SET
          tokens = greatest(-${MAX_DEBT_SECONDS} * excluded.per_second, least(excluded.burst, least(excluded.burst,
            r.tokens + greatest(0, excluded.at - r.at) * excluded.per_second) - excluded.cost)),
          per_second = excluded.per_second, burst = excluded.burst, at = greatest(r.at, excluded.at), cost = excluded.cost
        RETURNING key, tokens, per_second, burst
      )
      SELECT key, tokens, per_second, burst FROM taken
      UNION ALL
      SELECT r.key, ${held('r')}, r.per_second, r.burst FROM ${rates} r
        WHERE r.key = ANY ($5::bytea[])
      UNION ALL
      (SELECT r.key, ${held('r')}, r.per_second, r.burst FROM ${rates} r
        WHERE r.is_low AND ${held('r')} < r.burst / 2 AND r.key <> ALL ($1::bytea[])
        ORDER BY ${held('r')} / r.burst LIMIT ${MAX_LOW})`),
    // A bucket that is full again is as one that is not there.
    sweep: statement(`DELETE FROM ${rates} WHERE key IN (
      SELECT r.key FROM ${rates} r WHERE ${held('r')} >= r.burst LIMIT ${MAX_SWEPT} FOR UPDATE SKIP LOCKED)`),
    create: [
      // `is_low` changes seldom: most updates stay in their page and touch no index.
      statement(`CREATE UNLOGGED TABLE IF NOT EXISTS ${rates} (
        key bytea PRIMARY KEY,
        tokens double precision NOT NULL,
        per_second double precision NOT NULL,
        burst double precision NOT NULL,
        at double precision NOT NULL,
        cost double precision NOT NULL,
        is_low boolean GENERATED ALWAYS AS (tokens < burst / 2) STORED
      ) WITH (fillfactor = 50)`),
      statement(`CREATE INDEX IF NOT EXISTS rates_low ON ${rates} (key) WHERE is_low`),
    ],
  };
}
