/** What reaches the wire is a member of the small set of legal requests, whatever a client sent (STS-8). */
import { callerIdentityFields, verifySignedRequest } from '@postern/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  base64,
  clock,
  fieldsOf,
  login,
  POST_BODY,
  prepare,
  SERVER_ID,
  SERVER_ID_HEADER,
  session,
  signed,
  unsignedGet,
  unsignedPost,
  userKey,
} from '../../../test/caller-identity.js';
import { expectLegal, LEGAL_HEADERS } from '../../../test/legal-request.js';
import { isAuthError } from '../../errors.js';
import type { SignedRequestFields } from './signed-request.js';

/** Legal, or refused by an `evidence_unverified`: nothing third. Says whether it went out. */
function goesOutLegally(fields: SignedRequestFields): boolean {
  let prepared: ReturnType<typeof prepare>;
  try {
    prepared = prepare(fields);
  } catch (error) {
    if (!isAuthError(error) || error.code !== 'evidence_unverified') throw error;
    expect(error.reason).toMatch(/^[a-z0-9_]+$/);
    return false;
  }
  expectLegal(prepared.outgoing);
  return true;
}

const headerName = fc.oneof(
  fc.constantFrom(
    ...Object.keys(LEGAL_HEADERS),
    'Accept',
    'Cookie',
    'x-amz-target',
    'X-Amz-Foo',
    'X-Forwarded-Host',
    'Expect',
  ),
  fc.constantFrom('Host', 'HOST', 'Authorization', 'CONTENT-TYPE', 'X-AMZ-DATE', '__proto__', 'X-Any'),
  fc.string({ maxLength: 12 }),
);
const headerValue = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    'sts.amazonaws.com',
    'application/json',
    'identity',
    'a\r\nX-Evil: b',
    'evil.org',
    ' a',
    '',
    'a'.repeat(64),
  ),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 2 }),
  fc.integer(),
);

describe('whatever a client sends', () => {
  it('of any bytes at all is refused or legal', () => {
    const field = fc.oneof(
      fc.string(),
      fc.string().map((raw) => base64(raw)),
      fc.constant(unsignedPost().url),
    );
    const anything = fc.record({
      method: fc.constantFrom('POST', 'GET', 'post', ''),
      url: field,
      body: fc.option(fc.oneof(field, fc.constant(base64(POST_BODY))), { nil: undefined }),
      headers: fc.oneof(fc.anything(), field, fc.dictionary(headerName, headerValue)),
    });
    fc.assert(
      fc.property(anything, (fields) => {
        goesOutLegally(fields);
      }),
      { numRuns: 500 },
    );
  });

  it('of signed requests with headers added, signed or not, goes out legally or is refused', () => {
    let wentOut = 0;
    const added = fc.array(fc.tuple(headerName, headerValue, fc.boolean()), { maxLength: 4 });
    const good = fc.constantFrom<readonly [string, string]>(
      ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
      ['User-Agent', 'sdk 1'],
      ['X-Amz-Security-Token', 'a+/='],
      ['Amz-Sdk-Request', 'attempt=1'],
      [SERVER_ID_HEADER, SERVER_ID],
    );
    const goods = fc.uniqueArray(good, { selector: ([name]) => name });
    fc.assert(
      fc.property(added, goods, fc.boolean(), (more, fine, isPost) => {
        const all = [...fine.map(([name, value]) => [name, value, true] as const), ...more];
        const list = ['host', ...all.flatMap(([name, , isSigned]) => (isSigned ? [name.toLowerCase()] : []))];
        const headers = Object.fromEntries(all.map(([name, value]) => [name, value]));
        const authorization = `AWS4-HMAC-SHA256 Credential=AK/20261121/us-east-1/sts/aws4_request, SignedHeaders=${list.join(';')}, Signature=${'0'.repeat(64)}`;
        const fields = isPost
          ? unsignedPost({ Authorization: authorization, ...headers })
          : unsignedGet({ 'X-Amz-SignedHeaders': list.map(encodeURIComponent).join('%3B') }, headers);
        if (goesOutLegally(fields)) wentOut += 1;
      }),
      { numRuns: 500 },
    );
    expect(wentOut).toBeGreaterThan(75);
  });

  it('of good requests with a few characters changed goes out legally or is refused', () => {
    const bases = [login(), login({ method: 'GET' }), login({ credentials: session }), login({ headersForm: 'json' })];
    const change = fc.tuple(
      fc.constantFrom<'url' | 'body' | 'headers'>('url', 'body', 'headers'),
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.oneof(fc.constantFrom('', '\r\n', '&', ';', '%00', '@', '#', '"', ',', ' ', '/'), fc.string({ maxLength: 3 })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...bases), fc.array(change, { minLength: 1, maxLength: 2 }), (base, changes) => {
        let fields = base;
        for (const [part, at, removed, put] of changes) {
          const encoded = String(fields[part] ?? '');
          const isJson = encoded.startsWith('{');
          const raw = isJson ? encoded : Buffer.from(encoded, 'base64').toString();
          const cut = raw.length === 0 ? 0 : at % raw.length;
          const altered = raw.slice(0, cut) + put + raw.slice(cut + removed);
          fields = { ...fields, [part]: isJson ? altered : base64(altered) };
        }
        goesOutLegally(fields);
      }),
      { numRuns: 500 },
    );
  });
});

describe('an honest request', () => {
  const honest = fc.record({
    method: fc.constantFrom<'POST' | 'GET'>('POST', 'GET'),
    credentials: fc.constantFrom(userKey, session),
    region: fc.constantFrom(undefined, 'us-east-1', 'eu-west-3', 'ap-southeast-7'),
    headersForm: fc.constantFrom<'base64' | 'json' | 'object' | 'list'>('base64', 'json', 'object', 'list'),
    serverId: fc.constantFrom(undefined, SERVER_ID),
    parameters: fc.constantFrom(undefined, 'Version=2011-06-15&Action=GetCallerIdentity'),
    extraHeaders: fc.constantFrom(
      [],
      [['User-Agent', 'sdk/1  (two  spaces)']] as const,
      [['amz-sdk-request', 'a=1']] as const,
    ),
    unsignedHeaders: fc.constantFrom(
      [],
      [['Accept', 'application/json']] as const,
      [['X-Amzn-Trace-Id', 'a']] as const,
    ),
  });

  it('leaves with a signature that still holds', () => {
    fc.assert(
      fc.property(honest, ({ region, serverId, parameters, headersForm, ...options }) => {
        const request = signed({
          ...options,
          ...(region === undefined ? {} : { region }),
          ...(serverId === undefined ? {} : { serverId }),
          ...(parameters === undefined ? {} : { parameters }),
        });
        const { outgoing } = prepare(fieldsOf(callerIdentityFields(request, headersForm)));
        expectLegal(outgoing);
        const verdict = verifySignedRequest(outgoing, {
          clock,
          service: 'sts',
          acceptsRegion: (scope) => scope === (region ?? 'us-east-1'),
          keyOf: (id) => [userKey, session].find(({ accessKeyId }) => accessKeyId === id),
        });
        expect(verdict).toMatchObject({ ok: true });
      }),
      { numRuns: 200 },
    );
  });
});
