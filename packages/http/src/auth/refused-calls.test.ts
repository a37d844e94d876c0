/**
 * What is refused before it becomes a call leaves its event all the same: code and peer, nothing of what was sent
 * (AUDIT-4, WIRE-20, THREAT-35). No event, no answer.
 */
import { AuthError } from '@postern/core-auth';
import { describe, expect, it, vi } from 'vitest';
import { createFakeMethod } from '../../test/fake-method.js';
import { type HttpSite, openHttpSite, START } from '../../test/http-site.js';
import { createHttpApp } from '../http-app.js';

const CANARY = 'canary-of-the-body';
const deep = `${'{"a":'.repeat(40)}"${CANARY}"${'}'.repeat(40)}`;

/** An event of a call that was never made. */
const eventOf = (operation: string, code: string, details?: object) => ({
  id: expect.any(String),
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

  it('a write whose body cannot be read names its path and caller, and neither token nor body', async () => {
    const site = await openHttpSite(profile);
    site.audited.length = 0;
    await site.send('POST', site.mount('role/Dev'), { body: `{${CANARY}` });
    expect(site.audited).toEqual([
      {
        ...eventOf('role.write', 'body_invalid', { role: 'Dev' }),
        accessor: expect.any(String),
        principal: expect.any(String),
        tokenHash: expect.any(String),
      },
    ]);
    expect(JSON.stringify(site.audited)).not.toMatch(/canary|pst_/);
  });

  it.each([
    ['none', '', 'token_missing'],
    ['a made-up one', `pst_${'a'.repeat(40)}`, 'token_unknown'],
  ])('V1: the body of a caller without a right is never read: with %s as token', async (_name, token, reason) => {
    const readBody = vi.fn(async () => new Uint8Array());
    const site = await openHttpSite(profile, { readBody });
    site.audited.length = 0;
    for (const path of ['role/dev', 'role/dev/explain', 'config/client', 'tidy/roletag-denylist']) {
      expect(await site.send('POST', site.mount(path), { body: '{', token })).toMatchObject({ status: 403 });
    }
    expect(await site.send('POST', 'auth/token/renew-self', { body: '{', token })).toMatchObject({ status: 403 });
    expect(readBody).not.toHaveBeenCalled();
    expect(site.audited[0]).toMatchObject({ operation: 'role.write', code: 'permission_denied', reason });
  });

  it('V4: logins too many are one event a second, which counts them', async () => {
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
      'rate_limited',
      'login_fields_missing',
    ]);
    expect(site.audited[1]).toEqual(eventOf('login', 'rate_limited'));
    expect(site.audited[2]).toEqual({ ...eventOf('login', 'rate_limited', { count: '3' }), time: START + 1000 });
  });
});

describe('a body that cannot be read', () => {
  const brokenOff = (site: HttpSite) =>
    site.fetch(
      new Request(`http://postern.test/v1/${site.mount('login')}`, {
        method: 'POST',
        body: new ReadableStream({ pull: (controller) => controller.error(new Error('the client went away')) }),
        // Required with a stream; missing in the types.
        duplex: 'half',
      } as RequestInit),
    );

  it('because its sender went away is an event, an unknown path is not', async () => {
    const site = await openHttpSite('neutral');
    site.audited.length = 0;
    expect((await brokenOff(site)).status).toBe(400);
    expect((await site.send('POST', site.mount('nothing'), { body: '{' })).status).toBe(404);
    expect(site.audited.map(({ operation, code }) => [operation, code])).toEqual([['login', 'body_invalid']]);
  });

  it('because its reader failed is an event of a defect', async () => {
    const readBody = async () => {
      throw new TypeError('a defect');
    };
    const site = await openHttpSite('neutral', { readBody });
    site.audited.length = 0;
    expect((await site.send('POST', site.mount('login'), { body: '{}', token: '' })).status).toBe(500);
    expect(site.audited).toMatchObject([{ operation: 'login', outcome: 'failed', code: 'internal' }]);
  });
});

it('a refusal whose event cannot be recorded is 503', async () => {
  const unavailable = new AuthError('audit_unavailable', 'the audit event could not be recorded');
  const app = createHttpApp<undefined>({
    method: { ...createFakeMethod(), recordRefusal: () => Promise.reject(unavailable) },
    peerAddress: () => '192.0.2.7',
    health: () => ({ storageReachable: true, version: '0.1.0', serverTime: START }),
    loginRate: { perSecond: 1, burst: 1 },
  });
  const login = () => app.fetch(new Request('http://postern.test/v1/auth/cloud/login', { method: 'POST' }), undefined);
  expect((await login()).status).toBe(204);
  const response = await login();
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: 'audit_unavailable' });
});
