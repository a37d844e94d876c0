import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from '../fake-cloud/fake-cloud.js';
import type { WireRequest } from '../sigv4/wire-request.js';
import { createFakeSts } from './fake-sts.js';
import { type SignCallerIdentityOptions, signCallerIdentityRequest } from './sign-get-caller-identity.js';

const clock = createManualClock(Date.UTC(2026, 1, 16, 0, 30, 0));
const cloud = createFakeCloud({ clock, seed: 'actions' });
const sts = createFakeSts({ cloud, clock, seed: 'actions' });
const user = cloud.createUser({ name: 'alice' });
const role = cloud.createRole({ name: 'deploy', path: '/ops/' });
const credentials = sts.issueAccessKey(user);

type Options = Partial<SignCallerIdentityOptions>;
const sign = (options: Options = {}) => signCallerIdentityRequest({ credentials, date: clock.now(), ...options });

async function send(request: WireRequest) {
  const method = request.method === 'GET' ? 'GET' : 'POST';
  const answer = await sts.source.send({ ...request, method, endpoint: 'https://sts.example' });
  const body = Buffer.from(answer.body).toString('utf8');
  return { ...answer, body, code: /<Code>(.*)<\/Code>/.exec(body)?.[1] };
}

describe('GetCallerIdentity', () => {
  it.each([
    { name: 'POST', options: {} },
    { name: 'GET', options: { method: 'GET' } },
    { name: 'POST to a regional host', options: { region: 'eu-central-1' } },
    { name: 'GET of a regional host', options: { method: 'GET', region: 'eu-central-1' } },
    { name: 'POST to a FIPS host', options: { host: 'sts-fips.us-west-2.amazonaws.com' } },
    { name: 'POST to a loopback address', options: { host: '127.0.0.1:4566', region: 'ap-south-1' } },
    { name: 'POST with a server id', options: { serverId: 'postern.example.org' } },
    { name: 'POST with headers that are not signed', options: { unsignedHeaders: [['Accept', '*/*']] } },
  ] as const)('is answered in the very document of AWS: $name', async ({ options }) => {
    const answer = await send(sign(options));
    expect(answer).toMatchObject({ status: 200, contentType: 'text/xml' });
    const requestId = /<RequestId>(.*)<\/RequestId>/.exec(answer.body)?.[1];
    expect(requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(answer.body).toBe(`<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <GetCallerIdentityResult>
    <Arn>arn:aws:iam::111122223333:user/alice</Arn>
    <UserId>${user.uniqueId}</UserId>
    <Account>111122223333</Account>
  </GetCallerIdentityResult>
  <ResponseMetadata>
    <RequestId>${requestId}</RequestId>
  </ResponseMetadata>
</GetCallerIdentityResponse>
`);
  });

  it('is answered in JSON on request, as the real one does', async () => {
    const answer = await send(sign({ unsignedHeaders: [['Accept', 'application/json']] }));
    expect(answer.contentType).toBe('application/json');
    expect(JSON.parse(answer.body)).toMatchObject({
      GetCallerIdentityResponse: { GetCallerIdentityResult: { Arn: user.arn, Account: '111122223333' } },
    });
  });

  it('escapes what it names', async () => {
    const odd = sts.issueAccessKey(cloud.createUser({ name: 'a&b<c>' }));
    expect((await send(sign({ credentials: odd }))).body).toContain(':user/a&amp;b&lt;c&gt;</Arn>');
  });
});

const withBody = (body: string, options: Options = {}): WireRequest => sign({ parameters: body, ...options });
const good = 'Action=GetCallerIdentity&Version=2011-06-15';

describe('a request that STS refuses', () => {
  it.each([
    {
      name: 'no signature',
      request: { ...sign(), headers: sign().headers.slice(0, 3) },
      expected: [403, 'MissingAuthenticationToken'],
    },
    {
      name: 'a body altered',
      request: { ...sign(), body: Buffer.from('x') },
      expected: [403, 'SignatureDoesNotMatch'],
    },
    {
      name: 'a host altered',
      request: { ...sign(), headers: [['Host', 'h'], ...sign().headers.slice(1)] },
      expected: [403, 'SignatureDoesNotMatch'],
    },
    {
      name: 'a wrong secret',
      request: sign({ credentials: { ...credentials, secretAccessKey: 'x' } }),
      expected: [403, 'SignatureDoesNotMatch'],
    },
    {
      name: 'an unknown key',
      request: sign({ credentials: { ...credentials, accessKeyId: 'AKIAX' } }),
      expected: [403, 'InvalidClientTokenId'],
    },
    {
      name: 'an old signature',
      request: sign({ date: clock.now() - 16 * 60_000 }),
      expected: [403, 'SignatureDoesNotMatch'],
    },
    {
      name: 'a regional scope at the global host',
      request: sign({ host: 'sts.amazonaws.com', region: 'eu-west-1' }),
      expected: [403, 'SignatureDoesNotMatch'],
    },
    {
      name: 'the scope of another region',
      request: sign({ host: 'sts.eu-west-1.amazonaws.com', region: 'us-east-1' }),
      expected: [403, 'SignatureDoesNotMatch'],
    },
    {
      name: 'a scope that is no region',
      request: sign({ host: '127.0.0.1', region: 'nowhere' }),
      expected: [403, 'SignatureDoesNotMatch'],
    },
    {
      name: 'a host of another partition',
      request: sign({ region: 'cn-north-1' }),
      expected: [403, 'InvalidClientTokenId'],
    },
    { name: 'no action', request: withBody('Version=2011-06-15'), expected: [400, 'MissingAction'] },
    {
      name: 'an unknown action',
      request: withBody('Action=GetX&Version=2011-06-15'),
      expected: [400, 'InvalidAction'],
    },
    {
      name: 'an inherited name as action',
      request: withBody('Action=constructor&Version=2011-06-15'),
      expected: [400, 'InvalidAction'],
    },
    {
      name: 'another version',
      request: withBody('Action=GetCallerIdentity&Version=2010'),
      expected: [400, 'InvalidAction'],
    },
    { name: 'no version', request: withBody('Action=GetCallerIdentity'), expected: [400, 'InvalidAction'] },
    {
      name: 'an action twice',
      request: withBody(`${good}&Action=GetCallerIdentity`),
      expected: [400, 'MalformedQueryString'],
    },
    {
      name: 'an action again in other case',
      request: withBody(`${good}&action=AssumeRole`),
      expected: [400, 'MalformedQueryString'],
    },
  ] satisfies { name: string; request: WireRequest; expected: [number, string] }[])(
    'gets the error of AWS: $name',
    async ({ request, expected }) => {
      const answer = await send(request);
      expect([answer.status, answer.code]).toEqual(expected);
      expect(answer.contentType).toBe('text/xml');
      expect(answer.body).toMatch(
        /^<ErrorResponse xmlns="https:\/\/sts\.amazonaws\.com\/doc\/2011-06-15\/">\n {2}<Error>\n/,
      );
      expect(sts.calls.at(-1)?.outcome).toBe(expected[1]);
    },
  );

  it.each([
    { name: 'another path', request: { ...sign(), target: '/x' } },
    {
      name: 'a body that is not said to be a form',
      request: { ...sign(), headers: sign().headers.filter(([name]) => name !== 'Content-Type') },
    },
  ])('is unknown to it: $name', async ({ request }) => {
    expect(await send(request)).toMatchObject({ status: 404, body: '<UnknownOperationException/>\n' });
  });
});

describe('AssumeRole', () => {
  const assume = (parameters: string) => send(withBody(`Action=AssumeRole&Version=2011-06-15&${parameters}`));
  const arn = encodeURIComponent(role.arn);

  it('gives credentials that work', async () => {
    const { status, body } = await assume(`RoleArn=${arn}&RoleSessionName=s1&DurationSeconds=900`);
    expect(status).toBe(200);
    const field = (name: string) => new RegExp(`<${name}>(.*)</${name}>`).exec(body)?.[1] ?? '';
    expect(field('Expiration')).toBe('2026-02-16T00:45:00Z');
    expect(field('AssumedRoleId')).toBe(`${role.uniqueId}:s1`);
    const session = {
      accessKeyId: field('AccessKeyId'),
      secretAccessKey: field('SecretAccessKey'),
      sessionToken: field('SessionToken'),
    };
    const arnOfSession = 'arn:aws:sts::111122223333:assumed-role/deploy/s1';
    expect((await send(sign({ credentials: session }))).body).toContain(`<Arn>${arnOfSession}</Arn>`);
    expect((await send(sign({ credentials: session, method: 'GET' }))).body).toContain(`<Arn>${arnOfSession}</Arn>`);
  });

  it('asks the role whom it trusts', async () => {
    const guarded = cloud.createRole({ name: 'guarded', accountId: '444455556666' });
    sts.setTrust(guarded, { externalId: 'a b+c', accountIds: ['111122223333'] });
    const wanted = `RoleArn=${encodeURIComponent(guarded.arn)}&RoleSessionName=s1`;
    expect((await assume(wanted)).code).toBe('AccessDenied');
    expect((await assume(`${wanted}&ExternalId=a+b%2Bc`)).status).toBe(200);
    sts.setTrust(guarded, { accountIds: ['777788889999'] });
    expect((await assume(wanted)).code).toBe('AccessDenied');
  });

  it.each([
    {
      name: 'a role that is not there',
      parameters: `RoleArn=${arn}x&RoleSessionName=s1`,
      expected: [403, 'AccessDenied'],
    },
    {
      name: 'a user',
      parameters: `RoleArn=${encodeURIComponent(user.arn)}&RoleSessionName=s1`,
      expected: [403, 'AccessDenied'],
    },
    { name: 'no session name', parameters: `RoleArn=${arn}`, expected: [400, 'ValidationError'] },
    {
      name: 'a duration that is none',
      parameters: `RoleArn=${arn}&RoleSessionName=s1&DurationSeconds=x`,
      expected: [400, 'ValidationError'],
    },
  ])('is refused: $name', async ({ parameters, expected }) => {
    const answer = await assume(parameters);
    expect([answer.status, answer.code]).toEqual(expected);
  });
});
