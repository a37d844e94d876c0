/** Opening where there is no database: bounded, named by code, and silent about the password. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPostgresOpenError, openPostgresStorage } from './index.js';

/** Takes connections and never says a word. */
let mute: Server;
let port = 0;
beforeAll(async () => {
  mute = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const address = mute.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => {
  mute.close();
});

const refusalOf = (connectionString: string) =>
  openPostgresStorage({ connectionString, connectTimeoutMs: 200 }).catch((error: unknown) => error);

describe('openPostgresStorage', () => {
  it('gives up on a server that does not answer', async () => {
    const refusal = await refusalOf(`postgres://me:hunter2@127.0.0.1:${port}/gate`);
    expect(isPostgresOpenError(refusal)).toBe(true);
    expect(refusal).toMatchObject({ code: 'unreachable' });
    expect(String(refusal)).toContain(`gate at 127.0.0.1:${port} as me`);
    expect(inspect(refusal, { depth: 9, showHidden: true })).not.toContain('hunter2');
  });

  it.each([
    { host: 'db.internal' },
    { connectionString: 'postgres://me:hunter2@db.internal/gate' },
    { connectionString: 'postgres://me:hunter2@10.0.0.5/gate?application_name=x' },
  ])('W11: refuses a connection in the clear that nobody chose: %j', async (options) => {
    const refusal = await openPostgresStorage(options).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'PostgresOpenError', code: 'not_encrypted' });
    expect(String(refusal)).toContain('tls');
    expect(inspect(refusal, { depth: 9, showHidden: true })).not.toContain('hunter2');
  });

  it.each([
    { tls: false, host: '127.0.0.2' },
    { connectionString: 'postgres://me@192.0.2.1/gate?sslmode=disable' },
    { connectionString: 'postgres://me@192.0.2.1/gate?sslmode=verify-full' },
    { host: '/nowhere' },
  ])('W11: takes what was chosen, and this machine: %j', async (options) => {
    const refusal = await openPostgresStorage({ ...options, connectTimeoutMs: 100 }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'PostgresOpenError', code: 'unreachable' });
  });

  it.each(['postgres://me:hunter2@[::1', 'postgres://me:hunter2@host:99999/x', 'postgres://me:hunter2@host/%E0%A4%A'])(
    'refuses a connection string that cannot be read, and does not quote it: %s',
    async (connectionString) => {
      const refusal = await refusalOf(connectionString);
      expect(refusal).toMatchObject({ name: 'PostgresOpenError', code: 'unusable' });
      expect(inspect(refusal, { depth: 9, showHidden: true })).not.toContain('hunter2');
    },
  );
});
