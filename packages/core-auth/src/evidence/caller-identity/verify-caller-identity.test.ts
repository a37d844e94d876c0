/** A signed request becomes a caller, against an STS that verifies signatures (THREAT-15, THREAT-20, THREAT-24, THREAT-25, LOGIN-7). */
import { isDeepStrictEqual } from 'node:util';
import { callerIdentityFields, callerIdentityXml } from '@postern/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import {
  base64,
  clock,
  fieldsOf,
  login,
  role,
  SERVER_ID,
  session,
  signed,
  sts,
  unsignedPost,
  user,
  userKey,
  verify,
} from '../../../test/caller-identity.js';
import { expectLegal } from '../../../test/legal-request.js';
import { isAuthError } from '../../errors.js';
import { createReplayCache } from './replay-cache.js';

afterEach(() => {
  sts.behaviour.restore();
  sts.clearCalls();
});

/** Code and reason, or `accepted`. */
async function outcome(verifying: Promise<unknown>): Promise<string> {
  try {
    await verifying;
  } catch (error) {
    if (isAuthError(error)) return error.reason === undefined ? error.code : `${error.code} ${error.reason}`;
    throw error;
  }
  return 'accepted';
}

describe('a signed request', () => {
  it.each(['base64', 'json', 'object', 'list'] as const)(
    'of a user is verified, headers as %s',
    async (headersForm) => {
      expect(await verify(login({ headersForm }))).toMatchObject({
        arn: 'arn:aws:iam::111111111111:user/path/Bob',
        uniqueId: user.uniqueId,
        accountId: '111111111111',
      });
      expect(sts.calls).toHaveLength(1);
    },
  );

  it.each(['POST', 'GET'] as const)('of a session is verified, by %s', async (method) => {
    expect(
      await verify(login({ method, credentials: session, serverId: SERVER_ID }), { iamServerIdHeaderValue: SERVER_ID }),
    ).toMatchObject({
      arn: 'arn:aws:sts::111111111111:assumed-role/deploy/build-17',
      uniqueId: role.uniqueId,
      sessionName: 'build-17',
    });
    expect(sts.calls.map(({ endpoint, outcome: how }) => [endpoint, how])).toEqual([
      ['https://sts.amazonaws.com', 'ok'],
    ]);
  });

  it('of a region is verified by that region alone, where clients choose', async () => {
    const config = { useStsRegionFromClient: true, stsEndpoint: 'https://gw.example' };
    for (const method of ['POST', 'GET'] as const) {
      expect(await outcome(verify(login({ method, region: 'eu-west-1' }), config))).toBe('accepted');
    }
    expect(sts.calls.map(({ endpoint }) => endpoint)).toEqual([
      'https://sts.eu-west-1.amazonaws.com',
      'https://sts.eu-west-1.amazonaws.com',
    ]);
  });

  it('goes to the endpoint of the operator, with the host that the client signed', async () => {
    await verify(login({ region: 'eu-west-1' }), { stsEndpoint: 'http://127.0.0.1:4566' });
    expect(sts.calls[0]).toMatchObject({ endpoint: 'http://127.0.0.1:4566', host: 'sts.eu-west-1.amazonaws.com' });
  });

  it('keeps nothing of the client that is not signed', async () => {
    const unsignedHeaders = [
      ['Accept', 'application/json'],
      ['X-Forwarded-Host', 'evil.org'],
    ] as const;
    await verify(login({ unsignedHeaders }));
    expect(sts.calls[0]?.headerNames).toEqual([
      'host',
      'authorization',
      'content-length',
      'content-type',
      'x-amz-date',
    ]);
  });
});

describe('a request that was tampered with', () => {
  const signature = /Signature=[0-9a-f]{4}/;
  it.each([
    ['another signature', ['Authorization', signature, 'Signature=0000']],
    ['another date', ['X-Amz-Date', /T09/, 'T08']],
    ['another scope', ['Authorization', 'us-east-1', 'eu-west-1']],
    ['another key', ['Authorization', userKey.accessKeyId, 'AKIAOTHER']],
  ] as const)('is refused by STS: %s', async (_, [name, from, to]) => {
    const request = signed();
    const headers = request.headers.map(
      ([key, value]) => [key, key === name ? value.replace(from, to) : value] as const,
    );
    const verdict = await outcome(verify(fieldsOf(callerIdentityFields({ ...request, headers }))));
    expect(verdict).toMatch(/^caller_identity_refused sts_/);
    expect(sts.calls).toHaveLength(1);
  });

  it('is not put right: a digest of another body stays what it is (THREAT-25)', async () => {
    const request = signed({ extraHeaders: [['X-Amz-Content-Sha256', '0'.repeat(64)]] });
    expect(await outcome(verify(fieldsOf(callerIdentityFields(request))))).toMatch(/^caller_identity_refused/);
  });

  it('is refused for its body, unsent', async () => {
    expect(await outcome(verify({ ...login(), body: base64('Action=AssumeRole&Version=2011-06-15') }))).toBe(
      'evidence_unverified body_not_caller_identity',
    );
    expect(sts.calls).toHaveLength(0);
  });
});

describe('an STS that misbehaves', () => {
  const good = callerIdentityXml({
    arn: 'arn:aws:iam::111111111111:user/path/Bob',
    userId: 'AIDABOB',
    accountId: '111111111111',
  });
  it.each([
    ['throttling', () => sts.behaviour.throttle({ retryAfterSeconds: 7 }), 'provider_unavailable'],
    ['throttling with 400', () => sts.behaviour.throttle({ status: 400 }), 'provider_unavailable'],
    ['failing', () => sts.behaviour.fail(500), 'provider_unavailable'],
    ['failing behind a proxy', () => sts.behaviour.fail(502, { html: true }), 'provider_unavailable'],
    ['closing mid-answer', () => sts.behaviour.closeMidAnswer(), 'provider_unavailable'],
    ['redirecting', () => sts.behaviour.redirect('https://evil.org/'), 'evidence_unverified answer_redirect'],
    [
      'answering JSON',
      () => sts.behaviour.answer({ status: 200, contentType: 'application/json', body: '{}' }),
      'evidence_unverified answer_content_type',
    ],
    [
      'naming another partition',
      () =>
        sts.behaviour.answer({ status: 200, contentType: 'text/xml', body: good.replace('arn:aws:', 'arn:aws-cn:') }),
      'evidence_unverified identity_other_partition',
    ],
  ])('is asked once: %s', async (_, misbehave, expected) => {
    misbehave();
    expect(await outcome(verify(login()))).toBe(expected);
    expect(sts.calls).toHaveLength(1);
    sts.behaviour.restore();
    expect(await outcome(verify(login()))).toBe('accepted');
  });

  it('says when to come again', async () => {
    sts.behaviour.throttle({ retryAfterSeconds: 7 });
    await expect(verify(login())).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 7 });
    sts.behaviour.fail(503);
    await expect(verify(login())).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 });
  });

  it('passes on what is no error of a provider', async () => {
    const broken = { send: () => Promise.reject(new RangeError('a defect')) };
    await expect(verify(login(), {}, { source: broken })).rejects.toBeInstanceOf(RangeError);
  });
});

describe('federated users and root', () => {
  it.each([
    ['root', () => sts.issueRootKey()],
    ['a federated user', () => sts.issueFederatedUser('bob')],
  ])('do not log in: %s', async (_, issue) => {
    expect(await outcome(verify(login({ credentials: issue() })))).toBe('evidence_unverified identity_arn');
  });
});

describe('with a replay cache', () => {
  it('a request logs in once, in any spelling', async () => {
    const replayCache = createReplayCache({ clock });
    const request = signed();
    const first = fieldsOf(callerIdentityFields(request, 'base64'));
    const again = fieldsOf(callerIdentityFields(request, 'list'));
    expect(await outcome(verify(first, {}, { replayCache }))).toBe('accepted');
    expect(await outcome(verify(first, {}, { replayCache }))).toBe('evidence_unverified request_replayed');
    expect(await outcome(verify(again, {}, { replayCache }))).toBe('evidence_unverified request_replayed');
    expect(sts.calls).toHaveLength(1);
  });

  it('a presigned request is known by its signature, sent as GET or as POST', async () => {
    const replayCache = createReplayCache({ clock });
    const request = signed({ method: 'GET', credentials: session });
    expect(await outcome(verify(fieldsOf(callerIdentityFields(request)), {}, { replayCache }))).toBe('accepted');
    const signature = /X-Amz-Signature=([0-9a-f]+)/.exec(request.target)?.[1] ?? '';
    const { headers } = unsignedPost();
    const asPost = JSON.parse(JSON.stringify(headers).replace(/Signature=[0-9a-f]{64}/, `Signature=${signature}`));
    expect(await outcome(verify(unsignedPost(asPost), {}, { replayCache }))).toBe(
      'evidence_unverified request_replayed',
    );
  });

  it('of many at once with one signature, one logs in', async () => {
    const replayCache = createReplayCache({ clock });
    const fields = login();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome(verify(fields, {}, { replayCache }))));
    expect(outcomes.filter((each) => each === 'accepted')).toHaveLength(1);
    expect(sts.calls).toHaveLength(1);
  });

  it('a request that STS could not judge may come again', async () => {
    const replayCache = createReplayCache({ clock });
    const fields = login();
    sts.behaviour.fail(503, { times: 1 });
    expect(await outcome(verify(fields, {}, { replayCache }))).toBe('provider_unavailable');
    expect(await outcome(verify(fields, {}, { replayCache }))).toBe('accepted');
  });
});

it('sends byte for byte what a twin of the request would, whatever the client added', async () => {
  const plain = signed();
  const noisy = {
    ...plain,
    headers: [...plain.headers].reverse().concat([
      ['Accept', 'application/json'],
      ['X-A', 'b'],
    ]),
  };
  await verify(fieldsOf(callerIdentityFields(plain)));
  await verify(fieldsOf(callerIdentityFields(noisy, 'list')));
  const [first, second] = sts.calls.map((call) => call.request());
  expect(first).toBeDefined();
  expect(isDeepStrictEqual(first, second)).toBe(true);
  const { method, target = '', headers = [], body } = first ?? {};
  expect(method).toBe('POST');
  expectLegal({ method: 'POST', endpoint: 'https://sts.amazonaws.com', target, headers, body });
});
