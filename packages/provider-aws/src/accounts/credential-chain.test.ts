/** The SDK's own chain, for real: each of its sources against a loopback server that plays it (PROVIDER-3). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AwsWorld, createAwsWorld, instanceId, OTHER, OWN, SECRET_CANARY } from '../../test/aws-world.js';
import { errorXml, fail } from '../../test/fake-aws.js';

let world: AwsWorld;
let folder: string;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postern-chain-'));
  for (const name of Object.keys(process.env)) if (/^(AWS|CLOUD)_/.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'credentials'));
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  world = await createAwsWorld({}, { accessKey: '', secretKey: '' });
  world.aws.instances.set(instanceId(1), { accountId: OWN });
});
afterEach(async () => {
  await world.close();
  for (const close of closing.splice(0)) close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const look = () => world.provider.describeInstance({ accountId: OWN, region: 'us-east-1', instanceId: instanceId(1) });
const signedWith = () => world.aws.called('DescribeInstances').map(({ accessKeyId }) => accessKeyId);

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  closing.push(() => server.close());
  closing.push(() => server.closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sessionFor = (accessKeyId: string) =>
  JSON.stringify({
    Code: 'Success',
    Type: 'AWS-HMAC',
    AccessKeyId: accessKeyId,
    SecretAccessKey: SECRET_CANARY,
    Token: 'token',
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  });

describe('credentials', () => {
  it('come from the environment of the SDK', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAFROMENV');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET_CANARY);
    world.aws.keys.set('AKIAFROMENV', OWN);
    expect((await look())?.accountId).toBe(OWN);
    expect(signedWith()).toEqual(['AKIAFROMENV']);
  });

  it('come from a shared file', async () => {
    const text = `[default]\naws_access_key_id = AKIAFROMFILE\naws_secret_access_key = ${SECRET_CANARY}\n`;
    writeFileSync(join(folder, 'credentials'), text);
    world.aws.keys.set('AKIAFROMFILE', OWN);
    await look();
    expect(signedWith()).toEqual(['AKIAFROMFILE']);
  });

  it('come from a web identity, exchanged at STS', async () => {
    writeFileSync(join(folder, 'token'), 'a-web-identity-token');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', join(folder, 'token'));
    vi.stubEnv('AWS_ROLE_ARN', `arn:aws:iam::${OWN}:role/pod`);
    vi.stubEnv('AWS_ENDPOINT_URL_STS', world.aws.url);
    expect((await look())?.accountId).toBe(OWN);
    const exchanged = world.aws.called('AssumeRoleWithWebIdentity');
    expect(exchanged.map(({ parameters }) => parameters.get('WebIdentityToken'))).toEqual(['a-web-identity-token']);
  });

  it('come from a container', async () => {
    const url = await serve((_, response) => response.end(sessionFor('ASIACONTAINER')));
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${url}/creds`);
    world.aws.keys.set('ASIACONTAINER', OWN);
    await look();
    expect(signedWith()).toEqual(['ASIACONTAINER']);
  });

  it('come from instance metadata, version 2', async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const hasToken = request.headers['x-aws-ec2-metadata-token'] === 'imds-token';
      if (request.method === 'PUT') response.end('imds-token');
      else if (!hasToken) response.writeHead(401).end();
      else response.end(request.url?.endsWith('/') === true ? 'my-role' : sessionFor('ASIAMETADATA'));
    });
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', undefined);
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', url);
    world.aws.keys.set('ASIAMETADATA', OWN);
    await look();
    expect(signedWith()).toEqual(['ASIAMETADATA']);
    expect(asked[0]).toBe('PUT /latest/api/token');
  });

  it('that are nowhere are misconfigured, and are looked for again', async () => {
    await expect(look()).rejects.toMatchObject({ code: 'misconfigured' });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIALATER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET_CANARY);
    world.aws.keys.set('AKIALATER', OWN);
    expect((await look())?.accountId).toBe(OWN);
  });

  it.each([
    ['AccessDenied', 403, 'denied'],
    ['InvalidIdentityToken', 400, 'misconfigured'],
    ['ServiceUnavailable', 503, 'unavailable'],
  ])('that STS gives no web identity with %s (%d) are %s', async (code, status, meaning) => {
    writeFileSync(join(folder, 'token'), 'a-web-identity-token');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', join(folder, 'token'));
    vi.stubEnv('AWS_ROLE_ARN', `arn:aws:iam::${OWN}:role/pod`);
    vi.stubEnv('AWS_ENDPOINT_URL_STS', world.aws.url);
    world.aws.hook = (call, response) =>
      call.action === 'AssumeRoleWithWebIdentity' && fail(response, status, errorXml(code));
    await expect(look()).rejects.toMatchObject({ code: meaning });
  });

  it('that slow metadata does not give are given up in time', async () => {
    await world.close();
    world = await createAwsWorld({ limits: { totalTimeoutMs: 300 } }, { accessKey: '', secretKey: '' });
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', undefined);
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', await serve(() => undefined));
    const startedAt = performance.now();
    await expect(look()).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  });

  it('of the environment assume the role of an associated account', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAFROMENV');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET_CANARY);
    world.aws.keys.set('AKIAFROMENV', OWN);
    world.aws.instances.set(instanceId(2), { accountId: OTHER });
    world.associate(OTHER);
    const query = { accountId: OTHER, region: 'us-east-1', instanceId: instanceId(2) };
    expect((await world.provider.describeInstance(query))?.accountId).toBe(OTHER);
    expect(world.aws.called('AssumeRole')[0]?.accessKeyId).toBe('AKIAFROMENV');
  });
});
