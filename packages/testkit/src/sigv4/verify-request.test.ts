import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presign, signWithHeaders } from './sign-request.js';
import { type KnownKey, type VerifierOptions, verifySignedRequest } from './verify-request.js';
import { headerValues, type WireRequest } from './wire-request.js';

const now = Date.UTC(2026, 1, 16, 0, 30, 0);
const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret/of+the/example' };
const temporary = { accessKeyId: 'ASIAEXAMPLE', secretAccessKey: 'another/secret', sessionToken: 'token+of/it==' };
const known = new Map<string, KnownKey>([
  [credentials.accessKeyId, credentials],
  [temporary.accessKeyId, { ...temporary, expiresAt: now + 1_000 }],
]);
const post: WireRequest = {
  method: 'POST',
  target: '/',
  headers: [
    ['Host', 'sts.amazonaws.com'],
    ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
  ],
  body: Buffer.from('Action=GetCallerIdentity&Version=2011-06-15'),
};
const get: WireRequest = {
  method: 'GET',
  target: '/?Action=GetCallerIdentity&Version=2011-06-15',
  headers: [['Host', 'sts.amazonaws.com']],
  body: undefined,
};
const how = { credentials, region: 'us-east-1', service: 'sts', date: now };
const inHeader = signWithHeaders(post, how);
const inQuery = presign(get, { ...how, expiresSeconds: 60 });

function verify(request: WireRequest, options: Partial<VerifierOptions> = {}) {
  return verifySignedRequest(request, {
    clock: { now: () => now },
    keyOf: (id) => known.get(id),
    service: 'sts',
    acceptsRegion: (region) => region === 'us-east-1',
    ...options,
  });
}

function verdictOf(request: WireRequest, options: Partial<VerifierOptions> = {}): string {
  const verdict = verify(request, options);
  return verdict.ok ? 'ok' : `${verdict.status} ${verdict.code} ${verdict.reason}`;
}

function replaced(request: WireRequest, header: string, change: (value: string) => string): WireRequest {
  const headers = request.headers.map(([name, value]) => [name, name === header ? change(value) : value] as const);
  return { ...request, headers };
}

const authorized = (change: (value: string) => string) => replaced(inHeader, 'Authorization', change);
const queried = (change: (target: string) => string): WireRequest => ({ ...inQuery, target: change(inQuery.target) });
const plus = (request: WireRequest, ...headers: WireRequest['headers']): WireRequest => ({
  ...request,
  headers: [...request.headers, ...headers],
});
const without = (request: WireRequest, header: string): WireRequest => ({
  ...request,
  headers: request.headers.filter(([name]) => name !== header),
});
const dated = (date: number) => signWithHeaders(post, { ...how, date });

describe('a request that is signed well', () => {
  it.each([
    { name: 'in the header', request: inHeader, form: 'header', id: 'AKIAEXAMPLE' },
    { name: 'in the query', request: inQuery, form: 'query', id: 'AKIAEXAMPLE' },
    {
      name: 'with a session token',
      request: signWithHeaders(post, { ...how, credentials: temporary }),
      form: 'header',
      id: 'ASIAEXAMPLE',
    },
    {
      name: 'with unsigned headers beside',
      request: plus(inHeader, ['Accept', '*/*']),
      form: 'header',
      id: 'AKIAEXAMPLE',
    },
    {
      name: 'with a true content hash',
      request: signWithHeaders(post, { ...how, addContentHash: true }),
      form: 'header',
      id: 'AKIAEXAMPLE',
    },
  ])('is accepted: $name', ({ request, form, id }) => {
    expect(verify(request)).toMatchObject({ ok: true, form, accessKeyId: id });
  });

  it('may spell its headers in any case and its path with more slashes', () => {
    const headers = inHeader.headers.map(([name, value]) => [name.toUpperCase(), `  ${value} `] as const);
    expect(verdictOf({ ...inHeader, headers, target: '//' })).toBe('ok');
  });

  it.each([
    { name: '15 minutes old', date: now - 15 * 60_000 },
    { name: '5 minutes ahead', date: now + 5 * 60_000 },
  ])('is accepted at the edge of its time: $name', ({ date }) => {
    expect(verdictOf(dated(date))).toBe('ok');
  });

  it('may outlive its X-Amz-Expires, as STS has it, unless the service honours it', () => {
    const later = { clock: { now: () => now + 61_000 } };
    expect(verdictOf(inQuery, later)).toBe('ok');
    expect(verdictOf(inQuery, { ...later, honoursExpires: true })).toBe('400 RequestExpired presigned_request_expired');
    expect(verdictOf(inQuery, { clock: { now: () => now + 60_000 }, honoursExpires: true })).toBe('ok');
    const odd = presign(get, { ...how, expiresSeconds: -1 });
    expect(verdictOf(odd, { honoursExpires: true })).toBe('400 IncompleteSignature malformed_proof');
  });
});

const incomplete = '400 IncompleteSignature malformed_proof';
const differs = '403 SignatureDoesNotMatch signature_differs';
const wrongScope = '403 SignatureDoesNotMatch wrong_scope';
const unknown = '403 InvalidClientTokenId';

describe('a request that is not', () => {
  it.each([
    { name: 'no proof', request: post, expected: '403 MissingAuthenticationToken no_proof' },
    { name: 'a proof in both places', request: plus(inQuery, ...inHeader.headers.slice(-1)), expected: incomplete },
    { name: 'two Authorization headers', request: plus(inHeader, ['authorization', 'x']), expected: incomplete },
    { name: 'another scheme', request: authorized(() => 'Bearer x'), expected: incomplete },
    { name: 'another algorithm', request: authorized((v) => v.replace('256', '512')), expected: incomplete },
    { name: 'no Signature', request: authorized((v) => v.replace(/, Signature.*/, '')), expected: incomplete },
    { name: 'SignedHeaders twice', request: authorized((v) => `${v}, SignedHeaders=host`), expected: incomplete },
    { name: 'an unknown part', request: authorized((v) => `${v}, Extra=1`), expected: incomplete },
    { name: 'a part of other case', request: authorized((v) => v.replace('Cred', 'cred')), expected: incomplete },
    { name: 'a scope too long', request: authorized((v) => v.replace('/sts', '/x/sts')), expected: incomplete },
    { name: 'a scope too short', request: authorized((v) => v.replace('/sts', '')), expected: incomplete },
    { name: 'another terminator', request: authorized((v) => v.replace('aws4_', 'aws5_')), expected: wrongScope },
    { name: 'no date', request: without(inHeader, 'X-Amz-Date'), expected: '400 IncompleteSignature malformed_date' },
    {
      name: 'a date of another form',
      request: replaced(inHeader, 'X-Amz-Date', () => '20260216 2026-02-16'),
      expected: '400 IncompleteSignature malformed_date',
    },
    {
      name: 'an hour that never was',
      request: replaced(inHeader, 'X-Amz-Date', () => '20260216T250000Z'),
      expected: '400 IncompleteSignature malformed_date',
    },
    {
      name: 'a scope of another day',
      request: authorized((v) => v.replace('20260216', '20260230')),
      expected: wrongScope,
    },
    {
      name: 'an unknown key',
      request: authorized((v) => v.replace('AKIA', 'AKIB')),
      expected: `${unknown} unknown_key`,
    },
    {
      name: 'a token for a key without',
      request: plus(inHeader, ['X-Amz-Security-Token', 'x']),
      expected: `${unknown} wrong_session_token`,
    },
    {
      name: 'no token for a key with one',
      request: without(signWithHeaders(post, { ...how, credentials: temporary }), 'X-Amz-Security-Token'),
      expected: `${unknown} wrong_session_token`,
    },
    { name: 'another region', request: signWithHeaders(post, { ...how, region: 'eu-west-1' }), expected: wrongScope },
    { name: 'another service', request: signWithHeaders(post, { ...how, service: 's3' }), expected: wrongScope },
    {
      name: 'over 15 minutes old',
      request: dated(now - 15 * 60_000 - 1_000),
      expected: '403 SignatureDoesNotMatch signature_expired',
    },
    {
      name: 'over 5 minutes ahead',
      request: dated(now + 5 * 60_000 + 1_000),
      expected: '403 SignatureDoesNotMatch signature_not_yet_current',
    },
    {
      name: 'an unsigned host',
      request: plus(signWithHeaders({ ...post, headers: [] }, how), ['Host', 'sts.amazonaws.com']),
      expected: '403 SignatureDoesNotMatch host_not_signed',
    },
    {
      name: 'a signed header left out',
      request: without(inHeader, 'Content-Type'),
      expected: '403 SignatureDoesNotMatch signed_header_missing',
    },
    { name: 'another host', request: replaced(inHeader, 'Host', () => 'sts.example.org'), expected: differs },
    { name: 'a second host', request: plus(inHeader, ['Host', 'sts.example.org']), expected: differs },
    { name: 'another body', request: { ...inHeader, body: Buffer.from('Action=AssumeRole') }, expected: differs },
    {
      name: 'another body under the old content hash',
      request: { ...signWithHeaders(post, { ...how, addContentHash: true }), body: Buffer.from('x') },
      expected: '403 SignatureDoesNotMatch content_hash_differs',
    },
    { name: 'another method', request: { ...inHeader, method: 'GET' }, expected: differs },
    { name: 'another path', request: { ...inHeader, target: '/x' }, expected: differs },
    { name: 'a query added', request: { ...inHeader, target: '/?a=b' }, expected: differs },
    {
      name: 'an upper-case signature',
      request: authorized((v) => v.replace(/[0-9a-f]+$/, (s) => s.toUpperCase())),
      expected: differs,
    },
    { name: 'a cut signature', request: authorized((v) => v.slice(0, -1)), expected: differs },
  ])('is refused: $name', ({ request, expected }) => {
    expect(verdictOf(request)).toBe(expected);
  });

  it.each([
    { name: 'a parameter twice', change: (t: string) => `${t}&X-Amz-Date=20260216T003000Z`, expected: incomplete },
    { name: 'a parameter again in other case', change: (t: string) => `${t}&x-amz-credential=x`, expected: incomplete },
    {
      name: 'no SignedHeaders',
      change: (t: string) => t.replace(/&X-Amz-SignedHeaders=[^&]*/, ''),
      expected: incomplete,
    },
    { name: 'no algorithm', change: (t: string) => t.replace(/X-Amz-Algorithm=[^&]*/, ''), expected: incomplete },
    { name: 'another expiry', change: (t: string) => t.replace('Expires=60', 'Expires=61'), expected: differs },
    { name: 'another action', change: (t: string) => t.replace('Caller', 'Session'), expected: differs },
    {
      name: 'a token added',
      change: (t: string) => `${t}&X-Amz-Security-Token=x`,
      expected: `${unknown} wrong_session_token`,
    },
  ])('is refused in the query: $name', ({ change, expected }) => {
    expect(verdictOf(queried(change))).toBe(expected);
  });

  it('is refused once its credentials have expired', () => {
    const signed = signWithHeaders(post, { ...how, credentials: temporary });
    expect(verdictOf(signed, { clock: { now: () => now + 999 } })).toBe('ok');
    expect(verdictOf(signed, { clock: { now: () => now + 1_000 } })).toBe('403 ExpiredToken credentials_expired');
  });

  it('is refused after any one character of what was signed was changed', () => {
    const signedNames = ['Host', 'Content-Type', 'X-Amz-Date', 'Authorization'];
    fc.assert(
      fc.property(
        fc.constantFrom(...signedNames),
        fc.nat(),
        fc.constantFrom('0', 'z', '%'),
        (header, at, character) => {
          const [value = ''] = headerValues(inHeader.headers, header);
          const index = at % value.length;
          fc.pre(value[index] !== character);
          const changed = `${value.slice(0, index)}${character}${value.slice(index + 1)}`;
          expect(verify(replaced(inHeader, header, () => changed)).ok).toBe(false);
        },
      ),
    );
  });
});
