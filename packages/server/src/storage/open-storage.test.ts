/** A database that cannot be had: the start says which setting, where, and what to do, and no password. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Log } from '../log.js';
import { StartError } from '../start-error.js';
import type { Terminal } from '../terminal.js';
import { backUp } from './backup-command.js';
import { createTable, openStorage } from './open-storage.js';

let port = 0;
const folder = mkdtempSync(join(tmpdir(), 'postern-open-'));
beforeAll(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  server.close();
  await once(server, 'close');
});
afterAll(() => rmSync(folder, { recursive: true }));

const failureOf = (postgres: object) => openStorage({ postgres }).catch((error: unknown) => error);

it('a server that is not there is named, with the remedy', async () => {
  const failure = await failureOf({ url: `postgres://me:hunter2@127.0.0.1:${port}/gate` });
  expect(failure).toBeInstanceOf(StartError);
  expect(String(failure)).toContain(`storage.postgres: `);
  expect(String(failure)).toContain(`database gate at 127.0.0.1:${port} as me`);
  expect(String(failure)).toContain('start it');
  expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('hunter2');
});

it('O8: a database that does not answer is asked again, with growing pauses, and each time is logged', async () => {
  const lines: string[] = [];
  const pauses: unknown[] = [];
  const log: Log = (level, message, facts) => {
    lines.push(`${level} ${message}`);
    pauses.push(facts?.['retry_after_ms']);
  };
  const postgres = { url: `postgres://me:hunter2@127.0.0.1:${port}/gate`, startWaitSeconds: 1 };
  const failure = await openStorage({ postgres }, log).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartError);
  expect(pauses).toEqual([250, 500]);
  expect(new Set(lines)).toEqual(new Set(['warning the database does not answer; trying again']));
  // What trying again cannot mend ends the start at once.
  expect(await openStorage({ postgres: { host: 'db.internal' } }, log).catch(String)).toContain('tls');
  expect(pauses).toHaveLength(2);
});

it('a Unix socket that is not there is unreachable too', async () => {
  const failure = await failureOf({ host: folder, user: 'me', database: 'gate' });
  expect(failure).toMatchObject({ name: 'StartError', cause: { code: 'unreachable' } });
});

it('a certificate file that is not there is named', async () => {
  const failure = await failureOf({ host: '127.0.0.1', port, caFile: join(folder, 'missing.pem') });
  expect(failure).toBeInstanceOf(StartError);
  expect(String(failure)).toContain('storage.postgres.caFile');
});

it('a URL that names a certificate that is not there is not quoted', async () => {
  const failure = await failureOf({
    url: `postgres://me:hunter2@127.0.0.1:${port}/gate?sslmode=verify-full&sslrootcert=${join(folder, 'no.pem')}`,
  });
  expect(failure).toBeInstanceOf(StartError);
  expect(String(failure)).toContain('no.pem');
  expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('hunter2');
});

it('a DynamoDB table that cannot be reached is named, asked again, and told with the remedy', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id').stubEnv('AWS_SECRET_ACCESS_KEY', 'hunter2');
  const lines: string[] = [];
  const log: Log = (level, message) => lines.push(`${level} ${message}`);
  const dynamodb = {
    table: 'gate',
    region: 'eu-west-1',
    endpoint: `http://127.0.0.1:${port}`,
    timeoutMs: 100,
    startWaitSeconds: 1,
  };
  const failure = await openStorage({ dynamodb }, log).catch((error: unknown) => error);
  vi.unstubAllEnvs();
  expect(failure).toMatchObject({ name: 'StartError', cause: { code: 'unreachable' } });
  expect(String(failure)).toContain('storage.dynamodb: cannot open the DynamoDB table gate: ');
  expect(new Set(lines)).toEqual(new Set(['warning the database does not answer; trying again']));
  expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('hunter2');
});

const terminal: Terminal = {
  isInteractive: false,
  wantsColour: false,
  printOut: () => undefined,
  printError: () => undefined,
};

describe('postern storage create-table', () => {
  const run = (config: object) => {
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify(config));
    return createTable({ config: file, shards: undefined }, terminal);
  };

  it('is for storage.dynamodb alone', async () => {
    const creating = run({ storage: { file: 'postern.db' } });
    await expect(creating).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^storage.dynamodb: /),
    });
  });
});

it('a DynamoDB table is backed up by DynamoDB', async () => {
  const file = join(folder, 'dynamodb.json');
  writeFileSync(file, JSON.stringify({ storage: { dynamodb: { table: 'postern' } } }));
  await expect(backUp(file, join(folder, 'a.backup'), terminal)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringContaining('point-in-time recovery'),
  });
});
