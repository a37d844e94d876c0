/** What the signer makes, judged by a verifier that is not ours to please: the testkit's, which stands on AWS's own vectors. */
import { inspect } from 'node:util';
import { type HeaderList, stsHostOf as hostOfTestkit, verifySignedRequest } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { type CallerIdentityFields, signCallerIdentity, stsHostOf } from './sign-caller-identity.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const keys = {
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: 'secret/of+forty0characters',
  sessionToken: 'session-token==',
};
const credentials = async () => keys;

const text = (base64: string) => Buffer.from(base64, 'base64').toString();

function requestOf(fields: CallerIdentityFields) {
  const headers: HeaderList = Object.entries<string>(JSON.parse(text(fields.iam_request_headers)));
  return {
    method: fields.iam_http_request_method,
    target: new URL(text(fields.iam_request_url)).pathname,
    headers,
    body: Buffer.from(fields.iam_request_body, 'base64'),
  };
}

const headersOf = (fields: CallerIdentityFields) =>
  new Map(requestOf(fields).headers.map(([name, value]) => [name.toLowerCase(), value]));

it('is the request that the specification describes, signed over all that matters', async () => {
  const fields = await signCallerIdentity({ credentials, serverId: 'postern.example.org', now: () => NOW });
  expect(text(fields.iam_request_url)).toBe('https://sts.amazonaws.com/');
  expect(text(fields.iam_request_body)).toBe('Action=GetCallerIdentity&Version=2011-06-15');
  const headers = headersOf(fields);
  expect(headers.get('host')).toBe('sts.amazonaws.com');
  expect(headers.get('x-amz-date')).toBe('20260102T030405Z');
  expect(headers.get('x-amz-security-token')).toBe(keys.sessionToken);
  expect(headers.get('x-service-cloud-iam-server-id')).toBe('postern.example.org');
  expect(headers.get('authorization')).toContain(
    'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-service-cloud-iam-server-id,',
  );
  expect(headers.get('authorization')).toContain('Credential=AKIAEXAMPLE/20260102/us-east-1/sts/aws4_request');
});

it.each([undefined, 'eu-central-1', 'cn-north-1', 'us-gov-west-1', 'us-iso-east-1', 'us-isob-east-1'])(
  'is verified for the region %s, and only as it was signed',
  async (region) => {
    const request = requestOf(await signCallerIdentity({ credentials, region, serverId: 'a b1', now: () => NOW }));
    const verdict = (altered: typeof request) =>
      verifySignedRequest(altered, {
        clock: { now: () => NOW + 60_000 },
        keyOf: (id) => (id === keys.accessKeyId ? keys : undefined),
        service: 'sts',
        acceptsRegion: (name) => name === (region ?? 'us-east-1'),
      });
    expect(verdict(request)).toMatchObject({ ok: true, form: 'header' });
    for (const signed of ['host', 'content-type', 'x-amz-date', 'x-service-cloud-iam-server-id']) {
      const headers = request.headers.map(([name, value]): [string, string] => [
        name,
        name.toLowerCase() === signed ? value.replace(/.$/, '9') : value,
      ]);
      expect([signed, verdict({ ...request, headers }).ok]).toEqual([signed, false]);
    }
    expect(verdict({ ...request, body: Buffer.from('Action=GetUser&Version=2011-06-15') }).ok).toBe(false);
  },
);

it('has no session token and no server id where there are none, and the header of the profile', async () => {
  const lasting = async () => ({ ...keys, sessionToken: undefined });
  const plain = headersOf(await signCallerIdentity({ credentials: lasting }));
  expect([...plain.keys()].sort()).toEqual(['authorization', 'content-type', 'host', 'x-amz-date']);
  const vault = headersOf(await signCallerIdentity({ credentials, serverId: 'x', profile: 'vault' }));
  expect(vault.get('x-vault-aws-iam-server-id')).toBe('x');
  expect(vault.get('authorization')).toContain('x-vault-aws-iam-server-id');
});

it('asks for the keys before each signature', async () => {
  let asked = 0;
  const provider = async () => {
    asked += 1;
    return keys;
  };
  await signCallerIdentity({ credentials: provider });
  await signCallerIdentity({ credentials: provider });
  expect(asked).toBe(2);
});

it.each([{ accessKeyId: '' }, { secretAccessKey: '' }, { secretAccessKey: 'two words' }, { sessionToken: 'a\nb' }])(
  'refuses keys that are none: %j',
  async (wrong) => {
    const signing = signCallerIdentity({ credentials: async () => ({ ...keys, ...wrong }) });
    await expect(signing).rejects.toMatchObject({ kind: 'evidence', code: 'credentials_missing' });
  },
);

it.each([
  { region: 'evil.org/' },
  { region: '' },
  { region: 'us-east-1.evil' },
  { serverId: '' },
  { serverId: 'a\r\nb' },
])('refuses %j before it asks for keys', async (wrong) => {
  const never = async () => Promise.reject(new Error('asked'));
  await expect(signCallerIdentity({ credentials: never, ...wrong })).rejects.toThrow(TypeError);
});

it('is sent as it is, and printed without its values', async () => {
  const fields = await signCallerIdentity({ credentials, now: () => NOW });
  expect(JSON.parse(JSON.stringify({ role: 'x', ...fields }))).toEqual({ role: 'x', ...fields });
  expect(inspect(fields, { showHidden: true })).not.toContain(fields.iam_request_headers.slice(0, 20));
  expect(Object.keys(fields)).toHaveLength(4);
});

describe('the host', () => {
  it.each([
    ['us-east-1', 'sts.us-east-1.amazonaws.com'],
    ['ap-southeast-7', 'sts.ap-southeast-7.amazonaws.com'],
    ['us-gov-east-1', 'sts.us-gov-east-1.amazonaws.com'],
    ['cn-northwest-1', 'sts.cn-northwest-1.amazonaws.com.cn'],
    ['us-iso-west-1', 'sts.us-iso-west-1.c2s.ic.gov'],
    ['us-isob-east-1', 'sts.us-isob-east-1.sc2s.sgov.gov'],
    ['eu-isoe-west-1', 'sts.eu-isoe-west-1.cloud.adc-e.uk'],
    ['us-isof-south-1', 'sts.us-isof-south-1.csp.hci.ic.gov'],
    ['eusc-de-east-1', 'sts.eusc-de-east-1.amazonaws.eu'],
  ])('of %s is %s', (region, host) => {
    expect(stsHostOf(region)).toBe(host);
    expect(hostOfTestkit(region)).toBe(host);
  });
});
