/** The SDK's own client of EC2 as the second opinion: the same questions through both have the same answers and the same errors. */
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { isProviderError, systemClock } from '@postern/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instanceId, OWN, OWN_KEY, SECRET_CANARY } from '../../test/aws-world.js';
import { type AwsCall, ec2ErrorXml, errorXml, type FakeAws, fail, startFakeAws } from '../../test/fake-aws.js';
import { DESCRIBED_INSTANCES, readDescribedInstances } from '../instances/described-instance.js';
import { DEFAULT_LIMITS } from '../options.js';
import { clientSettings } from '../sdk/client-settings.js';
import { toProviderError } from '../sdk/sdk-error.js';
import { readSettings } from '../settings.js';
import { createSdkHandler } from '../transport/sdk-handler.js';
import { createTransport, type Transport } from '../transport/transport.js';
import { createEc2Client } from './ec2-client.js';

const ATTEMPT_MS = 300;
const WHAT = 'EC2 DescribeInstances';
const ID = instanceId(1);

let aws: FakeAws;
let transport: Transport;
beforeEach(async () => {
  aws = await startFakeAws();
  aws.keys.set(OWN_KEY, OWN);
  transport = createTransport({ ...DEFAULT_LIMITS, tlsCertificates: undefined });
});
afterEach(async () => {
  await transport.close();
  await aws.close();
});

/** What was found of one instance, or the error as core would learn it, and how many calls that took. */
async function ask(way: 'sdk' | 'own', maxAttempts: number) {
  aws.calls.length = 0;
  const settings = clientSettings(
    createSdkHandler(transport, ATTEMPT_MS),
    { ...readSettings(), maxAttempts },
    {
      region: 'us-east-1',
      credentials: { accessKeyId: OWN_KEY, secretAccessKey: SECRET_CANARY, sessionToken: 'token-canary' },
      endpoint: aws.url,
    },
  );
  const options = { abortSignal: new AbortController().signal };
  const found = way === 'sdk' ? askSdk(new EC2Client(settings), options) : askOwn(settings, options);
  const outcome = await found.catch((error: unknown) => {
    const failure = toProviderError(error, WHAT, systemClock.now());
    if (!isProviderError(failure)) throw failure;
    const { code, message, retryAfterSeconds, cloudCode, cloudRequestId } = failure;
    return { code, message, retryAfterSeconds, cloudCode, cloudRequestId };
  });
  return { outcome, calls: aws.calls.length };
}

async function askSdk(client: EC2Client, options: { abortSignal: AbortSignal }) {
  const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ InstanceIds: [ID] }), options);
  const [instance] = Reservations.flatMap(({ Instances = [], OwnerId }) =>
    Instances.map((each) => ({ ...each, OwnerId })),
  );
  return {
    instanceId: instance?.InstanceId,
    ownerId: instance?.OwnerId,
    state: instance?.State?.Name,
    imageId: instance?.ImageId,
    zone: instance?.Placement?.AvailabilityZone,
    vpcId: instance?.VpcId || undefined,
    subnetId: instance?.SubnetId || undefined,
    instanceProfileArn: instance?.IamInstanceProfile?.Arn,
    tags: new Map((instance?.Tags ?? []).map(({ Key, Value }) => [Key, Value ?? ''])),
  };
}

async function askOwn(settings: ReturnType<typeof clientSettings>, options: { abortSignal: AbortSignal }) {
  const client = createEc2Client({ transport, clock: systemClock, attemptTimeoutMs: ATTEMPT_MS }, settings);
  const question = {
    action: 'DescribeInstances',
    parameters: [['InstanceId.1', ID]] as const,
    shape: DESCRIBED_INSTANCES,
    read: readDescribedInstances,
  };
  return (await client.ask(question, options))[0];
}

async function expectSame(maxAttempts = 1) {
  const own = await ask('own', maxAttempts);
  expect(own).toEqual(await ask('sdk', maxAttempts));
  return own;
}

describe('an answer', () => {
  it.each([
    [
      'with everything',
      `<placement><availabilityZone>us-east-1a</availabilityZone></placement><vpcId>vpc-1</vpcId><subnetId>subnet-1</subnetId>
      <iamInstanceProfile><arn>arn:aws:iam::${OWN}:instance-profile/a/web</arn><id>AIPA1</id></iamInstanceProfile>
      <tagSet><item><key>Name</key><value>web &amp; co</value></item><item><key>empty</key><value/></item></tagSet>`,
    ],
    ['with nothing', ''],
    ['with empty elements', '<vpcId/><subnetId></subnetId><tagSet/><placement/>'],
    [
      'with every kind of reference and CDATA',
      '<tagSet><item><key>a</key><value>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#xe9;<![CDATA[<b>]]></value></item></tagSet>',
    ],
    ['with letters beyond ASCII', '<tagSet><item><key>größe</key><value>日本 𝕏</value></item></tagSet>'],
    ['with spaces around a value', '<tagSet><item><key>a</key><value> b  c </value></item></tagSet>'],
    ['with comments', '<!-- <vpcId>vpc-9</vpcId> --><vpcId>vpc-1</vpcId>'],
    [
      'with names that JavaScript knows',
      '<tagSet><item><key>__proto__</key><value>constructor</value></item></tagSet>',
    ],
    [
      'with more interfaces that have ids of their own',
      '<networkInterfaceSet><item><vpcId>vpc-2</vpcId><subnetId>subnet-2</subnetId></item></networkInterfaceSet><vpcId>vpc-1</vpcId>',
    ],
  ])('%s reads the same', async (_, xml) => {
    aws.instances.set(ID, { accountId: OWN, xml });
    expect((await expectSame()).outcome).toMatchObject({ instanceId: ID, ownerId: OWN });
  });
});

describe('a refusal', () => {
  it.each<[string, number, string, Record<string, string>?]>([
    ['of EC2', 403, ec2ErrorXml('UnauthorizedOperation'), { 'x-amzn-requestid': 'a1-b2' }],
    ['with another name for the id of the request', 403, ec2ErrorXml('AccessDenied'), { 'x-amz-request-id': 'c3' }],
    ['in the form of IAM', 403, errorXml('InvalidClientTokenId')],
    ['of an exception', 400, ec2ErrorXml('EC2ThrottledException')],
    ['to come again', 503, ec2ErrorXml('RequestLimitExceeded'), { 'retry-after': '17' }],
    ['by 429 alone', 429, '<html/>'],
    ['by 500 with a code', 500, ec2ErrorXml('InternalError')],
    ['of an unknown instance', 400, ec2ErrorXml('InvalidInstanceID.NotFound', `'${ID}'`)],
    ['with nothing', 400, ''],
    ['of 404 with a page of a proxy', 404, '<!DOCTYPE html><html></html>'],
    ['of 502 with a page of a proxy', 502, '<html><body>Bad Gateway</body></html>'],
    ['with an empty code', 400, ec2ErrorXml('')],
    ['with a malformed code', 400, ec2ErrorXml('Some thing')],
    ['that is a redirect', 301, '', { location: 'http://127.0.0.1:1/' }],
  ])('%s is the same error', async (_, status, xml, headers = {}) => {
    aws.hook = (__, response) => fail(response, status, xml, headers);
    const { outcome } = await expectSame();
    expect(outcome).toHaveProperty('code');
  });

  it('that is cut is judged by its status, where the SDK calls it an error of its own', async () => {
    aws.hook = (_, response) => fail(response, 403, '<Response><Errors><Error><Code>AuthFailure</Code>');
    expect((await ask('own', 1)).outcome).toMatchObject({ code: 'unavailable', cloudCode: 'Unknown' });
    expect((await ask('sdk', 1)).outcome).toMatchObject({ code: 'unavailable', cloudCode: 'Error' });
  });
});

describe('what is tried again', () => {
  it.each<[string, (call: AwsCall, response: Parameters<typeof fail>[0]) => boolean]>([
    ['throttling', (_, response) => fail(response, 400, ec2ErrorXml('Throttling'))],
    ['a request limit', (_, response) => fail(response, 503, ec2ErrorXml('RequestLimitExceeded'))],
    ['429', (_, response) => fail(response, 429, '')],
    ['500', (_, response) => fail(response, 500, ec2ErrorXml('InternalError'))],
    ['501, which is not', (_, response) => fail(response, 501, '')],
    ['503 of a proxy', (_, response) => fail(response, 503, '<html/>')],
    ['a connection that closes', (_, response) => Boolean(response.destroy())],
    ['no answer in time', () => true],
    ['a denial, which is not', (_, response) => fail(response, 403, ec2ErrorXml('UnauthorizedOperation'))],
    ['a page with 200, which is not', (_, response) => Boolean(response.end('<html/>'))],
    ['a redirect, which is not', (_, response) => fail(response, 302, '', { location: '/' })],
  ])('is the same: %s', async (_, hook) => {
    aws.hook = hook;
    await expectSame(3);
  });

  it('is answered by a later attempt', async () => {
    aws.instances.set(ID, { accountId: OWN });
    let failures = 0;
    aws.hook = (_, response) => {
      failures += 1;
      return failures % 3 !== 0 && fail(response, 503, ec2ErrorXml('Unavailable'));
    };
    expect(await expectSame(3)).toMatchObject({ calls: 3, outcome: { instanceId: ID } });
  });
});
