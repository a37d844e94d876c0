/** The login operation and renewal hand each auth type to its own flow, by private facts only (RENEW-1). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod } from '../../test/create-test-method.js';
import type { OperationRequest } from '../operation.js';
import { issueToken } from '../tokens/issue-token.js';
import { type RenewalFlow, renewToken } from '../tokens/renew-token.js';
import type { RenewalFacts } from '../tokens/token-record.js';
import { displayName } from './grant-token.js';
import { createLoginOperation } from './login-operation.js';

const call = {
  requestId: 'x',
  peerAddress: undefined,
  annotate: () => undefined,
  commit: async () => ({ versions: [], positions: [] }),
};
const iamFacts: RenewalFacts = {
  authType: 'iam',
  role: 'r',
  roleId: 'id',
  accountId: '111111111111',
  canonicalArn: 'arn:aws:iam::111111111111:user/u',
  clientArn: 'arn:aws:iam::111111111111:user/u',
  uniqueId: 'AIDA',
  inferredEntityId: '',
  inferredRegion: '',
};

async function iamToken(facts: RenewalFacts) {
  const { inside, memory } = createTestMethod();
  const issued = await issueToken(inside, {
    policies: [],
    // What the public metadata says decides nothing.
    metadata: { auth_type: 'ec2' },
    displayName: 'x',
    aliasName: 'x',
    aliasMetadata: {},
    entityId: 'x',
    path: 'x',
    issuedAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
    ttlSeconds: 1,
    creationTtlSeconds: 1,
    explicitMaxTtlSeconds: 0,
    periodSeconds: 0,
    numUses: 0,
    boundCidrs: [],
    renewable: true,
    renewal: facts,
  });
  await memory.commit([issued.write]);
  return { inside, ...issued };
}

describe('a signed request', () => {
  it('goes to the flow of principals where there is one', async () => {
    const seen: unknown[] = [];
    const operation = createLoginOperation(createTestMethod().context, {
      ec2: { login: () => Promise.reject(new TypeError('wrong flow')) },
      iam: {
        login: async (request) => {
          seen.push(request);
          throw new TypeError('seen');
        },
      },
    });
    const fields = {
      iam_http_request_method: 'GET',
      iam_request_url: 'url',
      iam_request_headers: { A: 'b' },
      role: 'r',
      identity: 'stray',
    };
    const request: OperationRequest<Record<string, unknown>> = { ...call, params: {}, fields, caller: undefined };
    await expect(operation.handle(request)).rejects.toThrow('seen');
    expect(seen).toEqual([
      { authType: 'iam', method: 'GET', url: 'url', body: undefined, headers: { A: 'b' }, role: 'r' },
    ]);
  });
});

describe('a token of a principal', () => {
  const ec2 = { renew: () => Promise.reject(new TypeError('wrong flow')) };

  it('is renewed by the flow of principals', async () => {
    const { inside, token, record } = await iamToken(iamFacts);
    const iam: RenewalFlow<Extract<RenewalFacts, { authType: 'iam' }>> = {
      renew: async ({ facts, incrementSeconds }) => {
        expect(facts).toEqual(iamFacts);
        return { record: { ...record, ttlSeconds: incrementSeconds ?? 0 }, cut: false };
      },
    };
    expect(
      (await renewToken(inside, { ec2, iam }, token, { incrementSeconds: 42, holder: undefined }, call)).auth
        ?.lease_duration,
    ).toBe(42);
  });

  it('is not renewed where that flow is not served', async () => {
    const { inside, token } = await iamToken(iamFacts);
    expect(
      await codeOf(renewToken(inside, { ec2 }, token, { incrementSeconds: undefined, holder: undefined }, call)),
    ).toBe('auth_type_not_enabled');
  });
});

describe('the display name', () => {
  it.each([
    ['auth/cloud', 'cloud'],
    ['auth/team/cloud', 'team-cloud'],
    ['cloud', 'cloud'],
  ])('of %s is %s', (mount, name) => {
    expect(displayName(mount)).toBe(name);
  });

  it('ends in who logged in, where that has a name', () => {
    expect(displayName('auth/team/cloud', 'deploy/build-17')).toBe('team-cloud-deploy/build-17');
  });
});
