/** The example as a newcomer runs it, and what its transport makes of lines that no client of ours sends. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { AuthMethod } from '@postern/core-auth';
import { afterEach, describe, expect, it } from 'vitest';
import { runExample } from '../run-example.js';
import { createLineServer } from './line-server.mjs';

it('logs in and is refused over lines', async () => {
  const { code, stdout, stderr } = await runExample('own-transport/main.mjs');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'role.write: {}',
    'login: default',
    'login without the nonce: nonce_mismatch denied',
    'role.read by the instance: permission_denied forbidden',
    'token.lookup-self: cloud',
  ]);
});

describe('a line server', () => {
  const open: { close(): void }[] = [];
  afterEach(() => {
    for (const each of open.splice(0)) each.close();
  });

  /** Sends text to a server whose method does what it is told, and waits for its first line or its end. */
  async function send(text: string, call: AuthMethod['call']): Promise<string> {
    const method = { call } as AuthMethod; // the line server uses nothing else of it
    const server = createLineServer(method).listen(0, '127.0.0.1');
    open.push(server);
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    open.push({ close: () => socket.destroy() });
    socket.on('error', () => undefined);
    let received = '';
    const ended = new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      socket.on('data', (chunk) => {
        received += chunk.toString();
        if (received.endsWith('\n')) resolve();
      });
    });
    socket.write(text);
    await ended;
    return received;
  }

  it.each([
    '{',
    'null',
    '{"id":1,"id":2,"operation":"login"}',
    '{"id":1}',
    '{"id":1,"operation":"x","params":{"a":1}}',
  ])('refuses %s without calling', async (line) => {
    const received = await send(`${line}\n`, () => Promise.reject(new Error('called')));
    expect(JSON.parse(received)).toEqual({ id: null, error: { code: 'line_invalid' } });
  });

  it('hangs up on a line without end', async () => {
    expect(await send('x'.repeat(200_000), () => Promise.reject(new Error('called')))).toBe('');
  });

  it('says nothing of an error that is not meant for callers', async () => {
    const line = '{"id":7,"operation":"login"}\n';
    const received = await send(line, () => Promise.reject(new Error('the password is swordfish')));
    expect(JSON.parse(received)).toEqual({ id: 7, error: { code: 'internal', kind: 'internal' } });
  });
});
