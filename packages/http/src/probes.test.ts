/** `/livez`, `/readyz` and `/v1/sys/health?ready` (WIRE-23). */
import { describe, expect, it } from 'vitest';
import { createHttpApp, type ReadinessReport } from './index.js';

const method = {
  mountPath: 'auth/cloud',
  operations: [],
  handle: () => Promise.reject(new Error('not called')),
  recordRefusal: () => Promise.reject(new Error('not called')),
};
const health = { storageReachable: true, version: '1', serverTime: 0 };
const FULL: ReadinessReport = { ready: false, code: 'storage_full', reason: 'the storage is full; free space' };

function served(readiness: ReadinessReport, last: ReadinessReport = { ready: true }) {
  let checks = 0;
  const app = createHttpApp({
    method,
    peerAddress: () => '10.0.0.1',
    health: () => ({ ...health, readiness: last }),
    readiness: async () => {
      checks += 1;
      return readiness;
    },
  });
  const send = async (path: string, how: RequestInit = {}) => {
    const response = await app.fetch(new Request(`http://node${path}`, how), undefined);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { send, checks: () => checks };
}

describe('O5: a node whose storage is full', () => {
  it('is live, not ready, and says why', async () => {
    const { send, checks } = served(FULL);
    expect(await send('/livez')).toEqual({ status: 200, body: { live: true } });
    expect(checks()).toBe(0);
    expect(await send('/readyz')).toEqual({ status: 503, body: FULL });
    expect(await send('/readyz', { method: 'HEAD' })).toMatchObject({ status: 503 });
    expect(await send('/v1/sys/health?ready')).toMatchObject({ status: 503, body: { ...FULL, storage: 'reachable' } });
    expect(await send('/v1/sys/health?ready=true&x=1')).toMatchObject({ status: 503 });
  });

  it('shows it in plain health as the last check saw it', async () => {
    const { send, checks } = served(FULL, FULL);
    expect(await send('/v1/sys/health')).toMatchObject({ status: 503, body: FULL });
    expect(checks()).toBe(0);
  });
});

it('a node that is ready says so; other methods and paths are refused', async () => {
  const { send } = served({ ready: true });
  expect(await send('/readyz')).toEqual({ status: 200, body: { ready: true } });
  expect(await send('/v1/sys/health?already')).toMatchObject({ status: 200, body: { ready: true } });
  expect((await send('/readyz', { method: 'POST' })).status).toBe(405);
  expect((await send('/readyz/more')).status).toBe(404);
});

it('an application without a check of its own answers as its health does', async () => {
  const app = createHttpApp({
    method,
    peerAddress: () => undefined,
    health: () => ({ ...health, storageReachable: false }),
  });
  expect((await app.fetch(new Request('http://node/readyz'), undefined)).status).toBe(503);
  expect((await app.fetch(new Request('http://node/livez'), undefined)).status).toBe(200);
});

it('an application without a check of its own tells the readiness that its health reports', async () => {
  const readyz = async (report: object) => {
    const app = createHttpApp({ method, peerAddress: () => undefined, health: () => ({ ...health, ...report }) });
    const response = await app.fetch(new Request('http://node/readyz'), undefined);
    return { status: response.status, body: await response.json() };
  };
  expect(await readyz({ readiness: FULL })).toEqual({ status: 503, body: FULL });
  expect(await readyz({ readiness: { ready: true } })).toEqual({ status: 200, body: { ready: true } });
  expect(await readyz({ readiness: { ready: true }, storageReachable: false })).toMatchObject({ status: 503 });
  expect(await readyz({})).toEqual({ status: 200, body: { ready: true } });
});
