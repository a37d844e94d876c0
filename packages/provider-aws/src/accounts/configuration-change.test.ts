import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsWorld, createAwsWorld, instanceId, OTHER, OWN, OWN_KEY, SECRET_CANARY } from '../../test/aws-world.js';

let world: AwsWorld;
beforeEach(async () => {
  world = await createAwsWorld();
  world.aws.instances.set(instanceId(0), { accountId: OWN });
  world.aws.instances.set(instanceId(1), { accountId: OTHER });
  world.associate(OTHER);
});
afterEach(() => world.close());

const lookOwn = () =>
  world.provider.describeInstance({ accountId: OWN, region: 'us-east-1', instanceId: instanceId(0) });
const lookOther = () =>
  world.provider.describeInstance({ accountId: OTHER, region: 'us-east-1', instanceId: instanceId(1) });

describe.each([
  ['told of the change', () => world.provider.onProviderConfigChange()],
  ['not told, as when another node made the change', () => undefined],
])('a provider that was %s', (_, tell) => {
  it('asks nothing more through an association that is gone', async () => {
    await lookOther();
    world.configuration.associations.delete(OTHER);
    tell();
    const asked = world.aws.calls.length;
    await expect(lookOther()).rejects.toMatchObject({ code: 'account_not_allowed' });
    expect(world.aws.calls.slice(asked).filter(({ service }) => service === 'ec2')).toEqual([]);
  });

  it('assumes the role of the association as it now stands', async () => {
    await lookOther();
    world.configuration.associations.set(OTHER, { stsRole: `arn:aws:iam::${OTHER}:role/second` });
    tell();
    await lookOther();
    world.associate(OTHER, { externalId: 'new' });
    tell();
    await lookOther();
    const roles = world.aws.called('AssumeRole').map(({ parameters }) => parameters.get('RoleArn'));
    expect(roles).toEqual(['postern', 'second', 'postern'].map((name) => `arn:aws:iam::${OTHER}:role/${name}`));
    expect(world.aws.called('AssumeRole')[2]?.parameters.get('ExternalId')).toBe('new');
  });

  it('uses a new key pair at once, and asks anew whose it is', async () => {
    await lookOwn();
    world.aws.keys.delete(OWN_KEY);
    world.aws.keys.set('AKIANEW', OWN);
    world.configuration.client = { ...world.configuration.client!, accessKey: 'AKIANEW', secretKey: 'another' };
    tell();
    expect((await lookOwn())?.accountId).toBe(OWN);
    expect(world.aws.called('GetCallerIdentity').map(({ accessKeyId }) => accessKeyId)).toEqual([OWN_KEY, 'AKIANEW']);
  });

  it('gives up half a pair before a call (but ERROR-5: not the fault of who logs in, 502)', async () => {
    await lookOwn();
    world.configuration.client = { ...world.configuration.client!, secretKey: '' };
    tell();
    const asked = world.aws.calls.length;
    await expect(lookOwn()).rejects.toMatchObject({ code: 'misconfigured' });
    expect(world.aws.calls).toHaveLength(asked);
  });

  it('connects to a new endpoint, and never to one that is not allowed (CONFIG-3)', async () => {
    await lookOwn();
    const asked = world.aws.calls.length;
    for (const endpoint of ['http://example.com', 'https://user@example.com', 'ftp://127.0.0.1', 'nonsense']) {
      world.configuration.client = { ...world.configuration.client!, endpoint };
      tell();
      await expect(lookOwn()).rejects.toMatchObject({ code: 'misconfigured' });
    }
    world.configuration.client = { ...world.configuration.client!, endpoint: 'http://127.0.0.1:1' };
    tell();
    await expect(lookOwn()).rejects.toMatchObject({ code: 'unavailable' });
    expect(world.aws.calls.slice(asked).filter(({ service }) => service === 'ec2')).toEqual([]);
  });
});

describe('credentials', () => {
  it('are those of the client configuration before those of the environment', async () => {
    await world.close();
    const environment = { CLOUD_ACCESS_KEY: 'AKIAENV', CLOUD_SECRET_KEY: 'secret', CLOUD_REGION: 'eu-west-1' };
    world = await createAwsWorld({ environment });
    world.aws.instances.set(instanceId(0), { accountId: OWN });
    await lookOwn();
    expect(world.aws.calls.map(({ accessKeyId }) => accessKeyId)).toEqual([OWN_KEY, OWN_KEY]);
    expect(world.aws.called('GetCallerIdentity')[0]?.region).toBe('eu-west-1');
  });

  it.each([
    [{ CLOUD_ACCESS_KEY: 'AKIAENV' }],
    [{ CLOUD_SECRET_KEY: SECRET_CANARY }],
    [{ CLOUD_ACCESS_KEY: 'AKIAENV', CLOUD_SECRET_KEY: '' }],
  ])('are none with half a pair in the environment: %o', async (environment) => {
    await world.close();
    world = await createAwsWorld({ environment }, { accessKey: '', secretKey: '' });
    await expect(lookOwn()).rejects.toMatchObject({ code: 'misconfigured' });
    expect(world.aws.calls).toEqual([]);
  });

  it('are those of the chain where nothing is configured, and follow it when it changes', async () => {
    await world.close();
    let accessKeyId = 'AKIACHAIN1';
    const credentialChain = async () => ({ accessKeyId, secretAccessKey: SECRET_CANARY });
    world = await createAwsWorld({ credentialChain }, { accessKey: '', secretKey: '' });
    world.aws.instances.set(instanceId(0), { accountId: OWN });
    for (const key of ['AKIACHAIN1', 'AKIACHAIN2']) world.aws.keys.set(key, OWN);
    await lookOwn();
    accessKeyId = 'AKIACHAIN2';
    await lookOwn();
    const keys = world.aws.called('DescribeInstances').map((call) => call.accessKeyId);
    expect(keys).toEqual(['AKIACHAIN1', 'AKIACHAIN2']);
  });
});
