/** A server over the real AWS adapter, whose STS and EC2 are services on loopback that can be in trouble. */
import { createProviderConfiguration } from '@postern/core-auth';
import type { AuditEvent, InstanceFacts } from '@postern/ports';
import { createAwsProvider } from '@postern/provider-aws';
import { createServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createFakeSts, type FakeCloud } from '@postern/testkit';
import { type ServiceAnswer, type ServiceRequest, startTroubledService } from './troubled-service.js';

/** Every question to the provider ends within this. */
export const PROVIDER_TIMEOUT_MS = 4_000;

const IMAGE_ID = 'ami-0123456789abcdef0';
const MOUNT = 'v1/auth/cloud';

const throttling = (code: string) =>
  `<Response><Errors><Error><Code>${code}</Code><Message>Slow down</Message></Error></Errors><RequestID>r</RequestID></Response>`;
const stsThrottling =
  '<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Slow down</Message></Error></ErrorResponse>';

export async function createTroubleSite() {
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const fakeSts = createFakeSts({ cloud, clock });
  const sts = await startTroubledService(
    async ({ method, target, headers, body }) => {
      // What else arrives is no request of STS: the fake refuses it by its signature.
      const request = { method: method === 'GET' ? ('GET' as const) : ('POST' as const), target, headers };
      const sent = { ...request, endpoint: sts.url, body: method === 'GET' ? undefined : body };
      const answer = await fakeSts.source.send(sent);
      return { status: answer.status, contentType: answer.contentType ?? 'text/xml', body: answer.body };
    },
    { status: 400, contentType: 'text/xml', body: stsThrottling },
  );
  const ec2 = await startTroubledService((request) => describeInstances(cloud, request), {
    status: 503,
    contentType: 'text/xml',
    body: throttling('RequestLimitExceeded'),
  });

  const storage = createMemoryStorage();
  const events: AuditEvent[] = [];
  const aws = createAwsProvider({
    configuration: createProviderConfiguration(storage),
    environment: {},
    clock,
    limits: { totalTimeoutMs: PROVIDER_TIMEOUT_MS, attemptTimeoutMs: PROVIDER_TIMEOUT_MS / 2 },
  });
  const server = await createServer({
    storage,
    audit: { record: (event) => void events.push(event) },
    provider: {
      ...aws,
      onProviderConfigChange: () => aws.onProviderConfigChange(),
      builtInCertificates: cloud.defaultCertificates(),
    },
  });
  const root = await server.method.createRootToken();
  const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const response = await fetch(`${server.url}/${MOUNT}/${path}`, {
      method,
      headers: { 'x-service-token': root },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const code: unknown = text === '' ? undefined : JSON.parse(text).code;
    return { status: response.status, retryAfter: response.headers.get('retry-after'), code };
  };

  const ownKey = fakeSts.issueAccessKey(cloud.createUser({ name: 'postern' }));
  const client = { access_key: ownKey.accessKeyId, secret_key: ownKey.secretAccessKey };
  await call('POST', 'config/client', { ...client, sts_endpoint: sts.url, endpoint: ec2.url });
  const principal = cloud.createRole({ name: 'deploy' });
  await call('POST', 'role/deploy', { bound_iam_principal_arn: principal.arn, resolve_cloud_unique_ids: false });
  await call('POST', 'role/web', { auth_type: 'ec2', bound_ami_id: IMAGE_ID });

  let sessions = 0;
  return {
    server,
    sts,
    ec2,
    stsCalls: fakeSts.calls,
    events,
    call,
    /** A login that was not sent yet: send it as often as you like. */
    login: {
      iam: (method: 'POST' | 'GET' = 'POST') => {
        sessions += 1;
        const credentials = fakeSts.assumeRole(principal, { sessionName: `session-${sessions}` });
        return { role: 'deploy', ...fakeSts.signLogin({ credentials, method }) };
      },
      ec2: () => {
        const pkcs7 = cloud.launchInstance({ imageId: IMAGE_ID }).identityDocument().rsa2048.replaceAll('\n', '');
        return { role: 'web', pkcs7, nonce: `nonce-of-${pkcs7.slice(-8)}` };
      },
    },
    async close() {
      await server.close(500);
      await aws.close();
      await Promise.all([sts.close(), ec2.close()]);
    },
  };
}

export type TroubleSite = Awaited<ReturnType<typeof createTroubleSite>>;

/** Answers DescribeInstances as EC2 does, of instances of the cloud. */
export async function describeInstances(cloud: FakeCloud, { body }: ServiceRequest): Promise<ServiceAnswer> {
  const parameters = new URLSearchParams(Buffer.from(body).toString());
  const ids = [...parameters].filter(([name]) => name.startsWith('InstanceId.')).map(([, id]) => id);
  const { ownAccountId: accountId, region } = cloud;
  const found = await Promise.all(ids.map((instanceId) => cloud.describeInstance({ accountId, region, instanceId })));
  return { status: 200, contentType: 'text/xml', body: instancesXml(found.filter((each) => each !== undefined)) };
}

function instancesXml(instances: readonly InstanceFacts[]): string {
  const items = instances.map(
    ({ instanceId, accountId, region, state, imageId }) =>
      `<item><reservationId>r-1</reservationId><ownerId>${accountId}</ownerId><instancesSet><item>` +
      `<instanceId>${instanceId}</instanceId><imageId>${imageId}</imageId><instanceState><code>16</code>` +
      `<name>${state}</name></instanceState><placement><availabilityZone>${region}a</availabilityZone></placement>` +
      '</item></instancesSet></item>',
  );
  return `<DescribeInstancesResponse><requestId>r</requestId><reservationSet>${items.join('')}</reservationSet></DescribeInstancesResponse>`;
}
