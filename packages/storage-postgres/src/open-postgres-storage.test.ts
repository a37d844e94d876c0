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

  it.each(['postgres://me:hunter2@[::1', 'postgres://me:hunter2@host:99999/x', 'postgres://me:hunter2@host/%E0%A4%A'])(
    'refuses a connection string that cannot be read, and does not quote it: %s',
    async (connectionString) => {
      const refusal = await refusalOf(connectionString);
      expect(refusal).toMatchObject({ name: 'PostgresOpenError', code: 'unusable' });
      expect(inspect(refusal, { depth: 9, showHidden: true })).not.toContain('hunter2');
    },
  );
});
