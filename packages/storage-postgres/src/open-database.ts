/** The opening: a first connection, the schema on it, and for whatever fails the words that an operator needs. */
import { Client } from 'pg';
import { type Connections, createConnections } from './connections.js';
import { codeOf, safeCause, sqlStateOf } from './failure.js';
import { isPostgresOpenError, PostgresOpenError, type PostgresOpenErrorCode } from './open-error.js';
import { setUpSchema } from './schema.js';
import type { Settings } from './settings.js';

/** @throws PostgresOpenError; nothing stays open. */
export async function openDatabase(settings: Settings): Promise<Connections> {
  const place = placeOf(settings);
  const connections = prepareConnections(settings, place);
  try {
    const client = await connections.connect();
    try {
      await setUpSchema(client, settings.schema);
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
    return connections;
  } catch (error) {
    await connections.end();
    throw openErrorOf(error, place, settings.schema);
  }
}

/** Connects to nothing yet. @throws PostgresOpenError `not_encrypted`, `unusable`. */
export function prepareConnections(settings: Settings, place: Place = placeOf(settings)): Connections {
  requireEncryption(settings, place);
  return createConnections(settings);
}

interface Place {
  readonly server: string;
  readonly database: string;
  readonly user: string;
  readonly host: string;
  readonly isEncrypted: boolean;
}

/** A pool of the host: where it leads is the host's to know, and to protect. */
const GIVEN: Place = { server: '', host: '', database: '', user: '', isEncrypted: true };

/** @throws PostgresOpenError `not_encrypted`: passwords and tokens' digests would pass in the clear without an explicit choice. */
function requireEncryption({ choseTls }: Settings, { server, host, isEncrypted }: Place): void {
  if (isEncrypted || choseTls || host.startsWith('/') || isLoopback(host)) return;
  throw new PostgresOpenError(
    'not_encrypted',
    `cannot open the PostgreSQL database at ${server}: the connection would not be encrypted: ` +
      'set tls, or sslmode=verify-full in the URL; tls: false accepts a connection in the clear',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Where the driver will go, the environment and its own defaults included. Connects to nothing. */
function placeOf({ pool, given }: Settings): Place {
  if (given !== undefined) return GIVEN;
  try {
    const { host, port, database = '', user = '', ssl } = new Client(pool);
    const server = host.startsWith('/') ? `${host} port ${port}` : `${host}:${port}`;
    return { server, host, database, user, isEncrypted: ssl };
  } catch (error) {
    // The driver's own error quotes the connection string: only an unreadable file is reported.
    const file = error instanceof Error && 'syscall' in error ? ` (${error.message})` : '';
    throw new PostgresOpenError(
      'unusable',
      `cannot open the database: its connection string cannot be read${file}: check it`,
    );
  }
}

function openErrorOf(error: unknown, place: Place, schema: string): PostgresOpenError {
  const { server, database, user } = place;
  const subject =
    place === GIVEN
      ? 'cannot open the PostgreSQL database of the given pool'
      : `cannot open the PostgreSQL database ${database} at ${server} as ${user}`;
  if (isPostgresOpenError(error)) return new PostgresOpenError(error.code, `${subject}: ${error.message}`);
  const [code, advice] = adviceFor(error, schema);
  return new PostgresOpenError(code, `${subject}: ${advice}`, safeCause(error));
}

/** Errors of the system that mean that no server answers. */
const SILENCE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
]);

function adviceFor(error: unknown, schema: string): readonly [PostgresOpenErrorCode, string] {
  const state = sqlStateOf(error);
  const code = codeOf(error) ?? '';
  if (state === undefined) {
    const words = error instanceof Error && error.message !== '' ? error.message : code;
    if (error instanceof Error && 'syscall' in error && error.syscall === 'open') {
      return ['unusable', `a file cannot be read (${words}): let this user read it`];
    }
    // No socket in that folder, or the host name does not resolve.
    const isSilence = SILENCE.has(code) || code === 'ENOENT' || /time(?:d ?)?out|in time|terminated/i.test(words);
    const advice = 'start it, or check host and port and what stands between';
    return isSilence
      ? ['unreachable', `no server answers there (${words}): ${advice}`]
      : ['unusable', `the connection failed (${words}): check the settings, TLS among them`];
  }
  if (state.startsWith('28'))
    return ['refused', `it does not let this user in (${state}): check user and password, and its pg_hba.conf`];
  if (state === '3D000') return ['refused', 'there is no database of that name: make it, or name another'];
  if (state === '57P03') return ['unreachable', 'it is starting or stopping: try again when it runs'];
  if (state.startsWith('53'))
    return ['unreachable', `it takes no more connections (${state}): allow more, or lower maxConnections`];
  if (state === '42501') {
    return [
      'denied',
      `the user lacks a privilege: let the owner of the database run CREATE SCHEMA ${schema} AUTHORIZATION for this user`,
    ];
  }
  return ['unusable', `it answered with SQLSTATE ${state}: look into its log`];
}
