/** How to reach the database: checked, with the defaults filled in, as the driver takes it. */
import { readFile } from 'node:fs/promises';
import type { PoolConfig } from 'pg';
import { columnTypes } from './column-types.js';
import type { PostgresPool, PostgresStorageOptions } from './options.js';

export interface Settings {
  readonly pool: PoolConfig;
  /** The host's own: used in place of one made from `pool`, and left open. */
  readonly given: PostgresPool | undefined;
  readonly schema: string;
  /** Whether the options or the environment decide on encryption. */
  readonly choseTls: boolean;
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

/** Names that PostgreSQL takes as they are, without quotes. */
const SCHEMA_NAME = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;
const APART = ['host', 'port', 'database', 'user', 'password', 'passwordFile', 'tls'] as const;
const MAX_TIMEOUT_MS = 3_600_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
const IDLE_MS = 60_000;

/** @throws TypeError for invalid options. The message holds no value but a schema's name. */
export function settingsOf(options: PostgresStorageOptions): Settings {
  const { connectionString, schema = 'postern', maxConnections = 10 } = options;
  const { statementTimeoutMs = 3_000, connectTimeoutMs = 3_000 } = options;
  if (!SCHEMA_NAME.test(schema))
    throw new TypeError(`schema: must be lower-case letters, digits and "_", and not begin with pg_: ${schema}`);
  checkWhole('maxConnections', maxConnections, 1_000);
  checkWhole('statementTimeoutMs', statementTimeoutMs, MAX_TIMEOUT_MS);
  checkWhole('connectTimeoutMs', connectTimeoutMs, MAX_TIMEOUT_MS);
  if (options.pool !== undefined) {
    const set = (['connectionString', 'maxConnections', ...APART] as const).filter(
      (name) => options[name] !== undefined,
    );
    if (set.length > 0) throw new TypeError(`pool: set either pool or ${set.join(', ')}`);
  }
  if (connectionString !== undefined) {
    if (!/^postgres(?:ql)?:\/\//.test(connectionString))
      throw new TypeError('connectionString: must begin with postgres://');
    const beside = APART.filter((name) => options[name] !== undefined);
    if (beside.length > 0) throw new TypeError(`connectionString: set either connectionString or ${beside.join(', ')}`);
  }
  if (options.password !== undefined && options.passwordFile !== undefined) {
    throw new TypeError('password: set either password or passwordFile');
  }
  return {
    schema,
    given: options.pool,
    choseTls:
      options.pool !== undefined ||
      options.tls !== undefined ||
      /[?&](?:sslmode|ssl)=/.test(connectionString ?? '') ||
      (process.env['PGSSLMODE'] ?? '') !== '',
    statementTimeoutMs,
    connectTimeoutMs,
    pool: {
      ...(connectionString === undefined ? apart(options) : { connectionString }),
      max: maxConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: IDLE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      application_name: 'postern',
      types: columnTypes,
    },
  };
}

function apart({ host, port, database, user, password, passwordFile, tls }: PostgresStorageOptions): PoolConfig {
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(database === undefined ? {} : { database }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(passwordFile === undefined ? {} : { password: () => passwordIn(passwordFile) }),
    ...(tls === undefined ? {} : { ssl: typeof tls === 'boolean' ? tls : { ca: tls.ca, rejectUnauthorized: true } }),
  };
}

async function passwordIn(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
}

function checkWhole(name: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new TypeError(`${name}: must be a whole number from 1 to ${most}`);
  }
}
