/** The fake metadata service asks for what the real one asks for. */
import { afterEach, expect, it } from 'vitest';
import { createFakeCloud } from '../fake-cloud/fake-cloud.js';
import { type FakeImds, startFakeImds } from './fake-imds.js';

const open: FakeImds[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((imds) => imds.close()));
});

async function start() {
  const instance = createFakeCloud({ clock: { now: () => Date.now() } }).launchInstance();
  const imds = await startFakeImds(instance);
  open.push(imds);
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(imds.url + path, { method, headers, redirect: 'manual' });
  return { imds, instance, ask };
}

const TTL = 'x-aws-ec2-metadata-token-ttl-seconds';

it('gives documents to who has a token, and tokens to who PUTs with a lifetime', async () => {
  const { imds, instance, ask } = await start();
  const path = '/latest/dynamic/instance-identity/rsa2048';
  const given = await ask('PUT', '/latest/api/token', { [TTL]: '60' });
  const headers = { 'x-aws-ec2-metadata-token': await given.text() };
  expect(await (await ask('GET', path, headers)).text()).toBe(instance.identityDocument().rsa2048);
  expect((await ask('GET', '/latest/user-data', headers)).status).toBe(404);
  expect((await ask('GET', path)).status).toBe(401);
  expect((await ask('GET', path, { 'x-aws-ec2-metadata-token': 'guess' })).status).toBe(401);
  expect((await ask('GET', '/latest/api/token', { [TTL]: '60' })).status).toBe(405);
  for (const seconds of ['0', '21601', 'x']) {
    expect((await ask('PUT', '/latest/api/token', { [TTL]: seconds })).status).toBe(400);
  }
  imds.tokenStatus = 403;
  expect((await ask('PUT', '/latest/api/token', { [TTL]: '60' })).status).toBe(403);
});

it('misbehaves on demand, and answers again afterwards', async () => {
  const { imds, ask } = await start();
  imds.instead.push(503, 'cut');
  expect((await ask('PUT', '/latest/api/token')).status).toBe(503);
  await expect(ask('GET', '/x').then((answer) => answer.text())).rejects.toThrow();
  expect((await ask('GET', '/x')).status).toBe(401);
  expect(imds.calls).toEqual(['PUT /latest/api/token', 'GET /x', 'GET /x']);
});
