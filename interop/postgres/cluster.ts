/**
 * A PostgreSQL server of one test file's own: a new data folder, fsync on, a password, loopback alone. It is stopped by the
 * process that started it, the way that the test asks for.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PostgresStorageOptions } from '@postern/storage-postgres';
import { Client } from 'pg';

const STARTED_WITHIN_MS = 30_000;

export const PASSWORD = 'p@ss:word/of the tests';
const USER = 'postern';
/** The last two are what `pg_ctl stop -m` sends. */
const STOPS = { killed: 'SIGKILL', immediate: 'SIGQUIT', fast: 'SIGINT' } as const;

export interface Cluster {
  /** Of its data. */
  readonly data: string;
  readonly port: number;
  /** For `openPostgresStorage`; every caller names a schema of its own. */
  readonly connection: Required<Pick<PostgresStorageOptions, 'host' | 'port' | 'database' | 'user' | 'password'>>;
  readonly connectionString: string;
  /** Of the process that started the others; it changes with `start`. */
  pid(): number;
  /** Asks as the owner of the cluster. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Starts it again after `stop`, or where it has ended by itself; recovers what a crash left. */
  start(): Promise<void>;
  /** `killed`: by SIGKILL. `immediate`: as a crash, without writing anything down. `fast`: in order. */
  stop(how: keyof typeof STOPS): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/**
 * @param programs folder of PostgreSQL's programs, installed where it is missing unless told.
 * @param parent of its folder.
 */
export async function createCluster(
  settings: Readonly<Record<string, string>> = {},
  programs: string = findPrograms([]),
  parent: string = tmpdir(),
): Promise<Cluster> {
  const owner = ownerOf();
  const folder = mkdtempSync(join(parent, 'postern-postgres-'));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  if (owner !== undefined) chownSync(passwordFile, owner.uid, owner.gid);
  const flags = [
    '--auth=scram-sha-256',
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
  ];
  execFileSync(join(programs, 'initdb'), ['--pgdata', data, ...flags], { ...owner, cwd: folder, stdio: 'ignore' });
  const port = await freePort();
  const connection = { host: '127.0.0.1', port, database: 'postgres', user: USER, password: PASSWORD };
  let server: ChildProcess | undefined;

  async function query(text: string) {
    const client = new Client(connection);
    // A server that is stopped tells its clients so.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async function start() {
    const all = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: folder,
      fsync: 'on',
      max_connections: '60',
      ...settings,
    };
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const spawned = () =>
      spawn(join(programs, 'postgres'), ['-D', data, ...args], { ...owner, cwd: folder, stdio: 'ignore' });
    const deadline = performance.now() + STARTED_WITHIN_MS;
    for (;;) {
      // The processes of one that was killed hold its memory for a moment: a start ends until they have gone.
      if (!isRunning(server)) server = spawned();
      try {
        await query('SELECT 1');
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async function stop(how: keyof typeof STOPS) {
    const running = server;
    server = undefined;
    if (running === undefined || !isRunning(running)) return;
    const ended = once(running, 'close');
    running.kill(STOPS[how]);
    await ended;
  }

  await start();
  return {
    data,
    port,
    pid: () => server?.pid ?? 0,
    connection,
    connectionString: `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`,
    query,
    start,
    stop,
    async remove() {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isRunning(server: ChildProcess | undefined): boolean {
  return server !== undefined && server.exitCode === null && server.signalCode === null;
}

/** @param flags `--present`: installs nothing. @returns the folder of PostgreSQL's programs; empty if PostgreSQL is not installed. */
export function findPrograms(flags: readonly string[]): string {
  const script = fileURLToPath(new URL('../../scripts/interop/setup-postgres.sh', import.meta.url));
  return execFileSync(script, flags, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

/** PostgreSQL refuses to run as root: then the user that its package made. */
function ownerOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
