/** Every recipe of docs/cookbook logs an instance in, or uses the token of one. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { AuthMethod } from '@postern/core-auth';
import { createMemoryStorage } from '@postern/storage-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createExpressApp } from './express.mjs';
import { createFastifyApp } from './fastify.mjs';
import { requirePolicy } from './guard.mjs';
import { createHonoApp } from './hono.mjs';
import { createHandler } from './lambda.mjs';
import { createJwtIssuer, verifyJwt } from './token-issuer.mjs';
import { createCaller } from './trpc.mjs';
import { createWorker } from './worker.mjs';
import { createWorld } from './world.mjs';

let world: Awaited<ReturnType<typeof createWorld>>;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

const json = { 'content-type': 'application/json' };
const loginBody = () => JSON.stringify({ role: 'web', pkcs7: world.pkcs7 });

async function urlOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Postern's route and the application's own, both with a body. */
async function expectBothRoutes(url: string): Promise<void> {
  const login = await fetch(`${url}/v1/auth/cloud/login`, { method: 'POST', headers: json, body: loginBody() });
  expect(login.status).toBe(200);
  expect((await login.json()).auth.policies).toEqual(['default', 'web']);
  const health = await fetch(`${url}/v1/sys/health`);
  expect(health.status).toBe(200);
  const jobs = await fetch(`${url}/jobs`, { method: 'POST', headers: json, body: '{"name":"sweep"}' });
  expect(await jobs.json()).toEqual({ accepted: 'sweep' });
}

async function tokenOf(method: AuthMethod): Promise<string> {
  const { auth } = await method.login({ role: 'web', pkcs7: world.pkcs7 });
  return auth.client_token;
}

it('Express', async () => {
  await expectBothRoutes(await urlOf(createExpressApp(world.method).listen(0, '127.0.0.1')));
});

it('Fastify', async () => {
  const app = createFastifyApp(world.method);
  closing.push(() => app.close());
  await expectBothRoutes(await app.listen({ port: 0, host: '127.0.0.1' }));
});

it('Hono', async () => {
  const server = serve({ fetch: createHonoApp(world.method).fetch, hostname: '127.0.0.1', port: 0 });
  await expectBothRoutes(await urlOf(server as Server));
});

it('a guard admits callers with the policy and rejects all others', async () => {
  const { method } = world;
  const check = async (token: string | undefined, policy: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = new Request('http://service.example/', { headers });
    const result = await requirePolicy(method, request, { policy, peerAddress: undefined });
    return result instanceof Response ? result.status : result.policies;
  };
  const token = await tokenOf(method);
  expect(await check(token, 'web')).toEqual(['default', 'web']);
  expect(await check(token, 'db')).toBe(403);
  expect(await check(`${token.slice(0, -1)}_`, 'web')).toBe(401);
  expect(await check(undefined, 'web')).toBe(401);
});

it('tRPC', async () => {
  const { method } = world;
  const token = await tokenOf(method);
  const caller = createCaller({ method, token, peerAddress: undefined });
  expect((await caller.whoAmI()).policies).toEqual(['default', 'web']);
  const stranger = createCaller({ method, token: undefined, peerAddress: undefined });
  await expect(stranger.whoAmI()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

it.each([false, true])('Lambda, with a body in base64: %s', async (isBase64Encoded) => {
  const body = isBase64Encoded ? Buffer.from(loginBody()).toString('base64') : loginBody();
  const answer = await createHandler(world.method)({
    rawPath: '/v1/auth/cloud/login',
    rawQueryString: '',
    headers: json,
    body,
    isBase64Encoded,
    requestContext: { domainName: 'id.lambda-url.example', http: { method: 'POST', sourceIp: '192.0.2.1' } },
  });
  expect(answer.statusCode).toBe(200);
  expect(JSON.parse(answer.body).auth.policies).toEqual(['default', 'web']);
});

it('Workers', async () => {
  const events = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const storage = createMemoryStorage();
  world = await createWorld({ storage });
  const { cloud } = world;
  const worker = createWorker(storage, cloud, { builtInCertificates: cloud.defaultCertificates() });
  const url = 'https://postern.example/v1/auth/cloud/login';
  const answer = await worker.fetch(new Request(url, { method: 'POST', headers: json, body: loginBody() }));
  expect((await answer.json()).auth.policies).toEqual(['default', 'web']);
  expect(JSON.parse(String(events.mock.calls[0]?.[0]))).toMatchObject({ operation: 'login', outcome: 'allowed' });
  await worker.scheduled();
});

it('CommonJS', async () => {
  const { createMethod, isAuthError } = createRequire(import.meta.url)('./commonjs.cjs');
  const error = await tokenOf(createMethod(world.cloud)).catch((thrown: unknown) => thrown);
  expect(isAuthError(error)).toBe(true);
});

it('a token issuer of your own', async () => {
  const key = crypto.getRandomValues(new Uint8Array(32));
  world = await createWorld({ tokenIssuer: createJwtIssuer(key) });
  const token = await tokenOf(world.method);
  expect((await verifyJwt(token, key))['policies']).toEqual(['default', 'web']);
  const holder = await world.method.useToken(token, { requestId: 'test', peerAddress: undefined });
  expect(holder?.policies).toEqual(['default', 'web']);
});
