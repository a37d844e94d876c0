/** Envelopes, statuses and headers (WIRE-9, WIRE-10, ERROR-2, ERROR-1, TOKEN-6). */
import { AuthError, type AuthErrorCode, type AuthView, type Outcome } from '@postern/core-auth';
import { describe, expect, it, vi } from 'vitest';
import { harness, post } from '../../test/fake-method.js';

const auth: AuthView = {
  client_token: 's.abc',
  accessor: 'acc',
  policies: ['default'],
  token_policies: ['default'],
  metadata: { role: 'dev' },
  lease_duration: 3600,
  renewable: true,
  entity_id: 'e',
  token_type: 'service',
  orphan: true,
  mfa_requirement: null,
  num_uses: 0,
};

const envelope = {
  request_id: 'request-1',
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  data: null,
  wrap_info: null,
  warnings: null,
  auth: null,
};

describe('outcomes', () => {
  it.each<[string, Outcome, number, unknown]>([
    ['nothing to say', {}, 204, undefined],
    ['an empty list of warnings', { warnings: [] }, 204, undefined],
    ['only a warning', { warnings: ['w'] }, 200, { ...envelope, warnings: ['w'] }],
    ['data', { data: { sts_role: 'arn' } }, 200, { ...envelope, data: { sts_role: 'arn' } }],
    ['empty data', { data: {} }, 200, { ...envelope, data: {} }],
    ['a list', { data: { keys: ['a'] } }, 200, { ...envelope, data: { keys: ['a'] } }],
    ['an empty list', { data: { keys: [] } }, 404, { errors: [] }],
    ['an empty list of described things', { data: { keys: [], key_info: {} } }, 404, { errors: [] }],
    ['a login', { auth }, 200, { ...envelope, auth }],
    ['a start', { accepted: true, warnings: ['w'] }, 202, { ...envelope, warnings: ['w'] }],
  ])('answers %s', async (_name, outcome, status, body) => {
    const response = await harness(() => outcome).send('/v1/auth/cloud/login', post('{}'));
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(text === '' ? undefined : JSON.parse(text)).toEqual(body);
  });

  it('writes the members of the envelope in the order that clients know', async () => {
    const response = await harness(() => ({ auth })).send('/v1/auth/cloud/login', post('{}'));
    expect(Object.keys((await response.json()) as object)).toEqual(Object.keys(envelope));
  });

  it.each([
    ['/v1/auth/cloud/login', post('{}')],
    ['/v1/auth/cloud/login', {}],
    ['/v1/auth/cloud/role/dev', post('{')],
    ['/v1/sys/health', {}],
    ['/nowhere', {}],
  ])('lets nobody keep or guess what it says at %s', async (path, sent) => {
    const { headers } = await harness(() => ({ auth })).send(path, sent);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toBe('request-1');
    expect(headers.get('content-type')).toBe('application/json');
  });
});

describe('errors', () => {
  it.each<[AuthErrorCode, number, string | undefined]>([
    ['field_invalid', 400, undefined],
    ['nonce_mismatch', 400, undefined],
    ['evidence_unverified', 400, undefined],
    ['permission_denied', 403, undefined],
    ['peer_address_not_allowed', 403, undefined],
    ['token_not_found', 403, undefined],
    ['body_too_large', 413, undefined],
    ['provider_misconfigured', 502, undefined],
    ['provider_unavailable', 503, '1'],
    ['storage_contended', 503, '1'],
  ])('answers %s with %d and its code', async (code, status, retryAfter) => {
    const { send } = harness(() => {
      throw new AuthError(code, 'why');
    });
    const response = await send('/v1/auth/cloud/login', post('{}'));
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after') ?? undefined).toBe(retryAfter);
    expect(await response.json()).toEqual({ errors: [status === 403 ? 'permission denied' : 'why'], code });
  });

  it('answers a missing thing with an empty list of errors', async () => {
    const { send } = harness(() => {
      throw new AuthError('not_found', 'no such role');
    });
    const response = await send('/v1/auth/cloud/role/x', { headers: { 'x-service-token': 't' } });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ errors: [] });
  });

  it.each([
    [0.2, '1'],
    [7.5, '8'],
    [30, '30'],
  ])('says when to come again in whole seconds: %d', async (retryAfterSeconds, expected) => {
    const { send } = harness(() => {
      throw new AuthError('provider_unavailable', 'later', { retryAfterSeconds });
    });
    expect((await send('/v1/auth/cloud/login', post('{}'))).headers.get('retry-after')).toBe(expected);
  });

  it.each([
    ['an unknown error', new Error('secret path /etc/x')],
    ['an internal error', new AuthError('internal', 'the stored record postern/auth/x cannot be read')],
    ['no error at all', 'text'],
  ])('reports %s to its operator and says nothing of it to the caller', async (_name, thrown) => {
    const onError = vi.fn();
    const { send } = harness(
      () => {
        throw thrown;
      },
      { onError },
    );
    const response = await send('/v1/auth/cloud/login', post('{}'));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ errors: ['internal error'], code: 'internal' });
    expect(onError).toHaveBeenCalledWith(thrown, { requestId: 'request-1', operation: 'login' });
  });

  it('hands the call on with its peer, request id and signal', async () => {
    const { send, method } = harness();
    await send('/v1/auth/cloud/login', post('{"role":"dev"}'));
    expect(method.calls).toMatchObject([
      { requestId: 'request-1', peerAddress: '192.0.2.7', token: 't', fields: { role: 'dev' } },
    ]);
    expect(method.calls[0]?.signal).toBeInstanceOf(AbortSignal);
  });
});

describe('request ids', () => {
  const idOf = async (requestIds: Parameters<typeof harness>[1]) =>
    (await harness(undefined, requestIds).send('/x')).headers.get('x-request-id');
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('are random UUIDs made from the bytes of a source', async () => {
    const bytes = (length: number) => new Uint8Array(length).fill(0xff);
    expect(await idOf({ requestIds: { bytes } })).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
    expect(await idOf({ requestIds: { bytes: (length) => new Uint8Array(length) } })).toMatch(uuid);
  });
});

describe('health', () => {
  it.each(['GET', 'HEAD'])('answers %s without a token in the shape that clients expect', async (method) => {
    const response = await harness().send('/v1/sys/health', { method });
    expect(response.status).toBe(200);
    const text = await response.text();
    if (method === 'HEAD') expect(text).toBe('');
    else
      expect(JSON.parse(text)).toMatchObject({
        initialized: true,
        sealed: false,
        standby: false,
        version: '0.1.0',
        server_time_utc: 1_700_000_000,
        warnings: [],
      });
  });

  it('is 503 while the storage does not answer', async () => {
    const health = () => ({ storageReachable: false, version: '0.1.0', serverTime: 0, warnings: ['w'] });
    const response = await harness(undefined, { health }).send('/v1/sys/health');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ storage: 'unreachable', warnings: ['w'] });
  });

  it('is 500 when the check itself fails, and 405 to a write', async () => {
    const health = () => {
      throw new Error('broken');
    };
    expect((await harness(undefined, { health }).send('/v1/sys/health')).status).toBe(500);
    expect((await harness().send('/v1/sys/health', { method: 'POST' })).status).toBe(405);
  });
});
