/**
 * What is refused before it becomes a call leaves its event all the same: code and peer, nothing of what was sent
 * (AUDIT-4, WIRE-13, THREAT-35). No event, no answer.
 */
import { AuthError } from '@postern/core-auth';
import { describe, expect, it } from 'vitest';
import { createFakeMethod, harness, post } from '../../test/fake-method.js';
import { openHttpSite, START } from '../../test/http-site.js';
import { createHttpApp } from '../http-app.js';

const CANARY = 'canary-of-the-body';
const deep = `${'{"a":'.repeat(40)}"${CANARY}"${'}'.repeat(40)}`;

/** An event of a call that was never made. */
const eventOf = (operation: string, code: string, details?: object) => ({
  time: START,
  requestId: expect.stringMatching(/^[\da-f-]{36}$/),
  operation,
  outcome: 'denied',
  code,
  peerAddress: '192.0.2.1',
  ...(details === undefined ? {} : { details }),
});

describe.each(['neutral', 'vault'] as const)('in the %s profile', (profile) => {
  it.each([
    ['is no JSON', `{"nonce":"${CANARY}"`, 400, 'body_invalid'],
    ['is no object', `["${CANARY}"]`, 400, 'body_invalid'],
    ['names something twice', `{"nonce":"${CANARY}","nonce":"${CANARY}"}`, 400, 'body_invalid'],
    ['is nested too deep', deep, 400, 'body_invalid'],
    ['is too large', `{"nonce":"${CANARY.repeat(100)}"}`, 413, 'body_too_large'],
  ])('a login whose body %s is one event', async (_name, body, status, code) => {
    const site = await openHttpSite(profile, { bodyLimitBytes: 1024 });
    site.audited.length = 0;
    expect(await site.send('POST', site.mount('login'), { body, token: '' })).toMatchObject({ status, body: { code } });
    expect(site.audited).toEqual([eventOf('login', code)]);
    expect(JSON.stringify(site.audited)).not.toContain('canary');
  });

  it('a write whose body cannot be read names its path, and neither token nor body', async () => {
    const site = await openHttpSite(profile);
    site.audited.length = 0;
    await site.send('POST', site.mount('role/Dev'), { body: `{${CANARY}` });
    expect(site.audited).toEqual([eventOf('role.write', 'body_invalid', { role: 'Dev' })]);
    expect(JSON.stringify(site.audited)).not.toMatch(/canary|pst_/);
  });

  it('logins too many are one event each time the peer goes too far', async () => {
    const site = await openHttpSite(profile, { loginRate: { perSecond: 1, burst: 1 } });
    site.audited.length = 0;
    const login = async () => (await site.send('POST', site.mount('login'), { body: {}, token: '' })).status;
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) statuses.push(await login());
    site.clock.advance(1000);
    for (let at = 0; at < 3; at += 1) statuses.push(await login());
    expect(statuses).toEqual([400, 429, 429, 429, 429, 400, 429, 429]);
    expect(site.audited.map(({ code }) => code)).toEqual([
      'login_fields_missing',
      'rate_limited',
      'login_fields_missing',
      'rate_limited',
    ]);
    expect(site.audited[1]).toEqual(eventOf('login', 'rate_limited'));
    expect(site.audited[3]).toEqual({ ...eventOf('login', 'rate_limited', { untold: '3' }), time: START + 1000 });
  });
});

describe('over any method', () => {
  it('a body that broke off is told, a path that is nothing is not', async () => {
    const { send, method } = harness();
    const broken = new ReadableStream({
      pull: (controller) => {
        controller.error(new Error('the client went away'));
      },
    });
    expect((await send('/v1/auth/cloud/login', post(broken))).status).toBe(400);
    expect((await send('/v1/auth/cloud/nothing', post('{'))).status).toBe(404);
    expect(method.refused.map(({ operation, refusal }) => [operation, refusal.code])).toEqual([
      ['login', 'body_invalid'],
    ]);
    expect(method.calls).toEqual([]);
  });

  it('a reader of bodies that fails is told as a defect', async () => {
    const readBody = async () => {
      throw new TypeError('a defect');
    };
    const { send, method } = harness(undefined, { readBody });
    expect((await send('/v1/auth/cloud/login', post('{}'))).status).toBe(500);
    expect(method.refused).toMatchObject([{ operation: 'login', refusal: { kind: 'internal', code: 'internal' } }]);
  });

  it('without an event the answer is that there is none', async () => {
    const unavailable = new AuthError('audit_unavailable', 'the audit event could not be recorded');
    const app = createHttpApp<undefined>({
      method: { ...createFakeMethod(), recordRefusal: () => Promise.reject(unavailable) },
      peerAddress: () => '192.0.2.7',
      health: () => ({ storageReachable: true, version: '0.1.0', serverTime: START }),
    });
    const request = new Request('http://postern.test/v1/auth/cloud/login', { method: 'POST', body: '{' });
    const response = await app.fetch(request, undefined);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'audit_unavailable' });
  });
});
