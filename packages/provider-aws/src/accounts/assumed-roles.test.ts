import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsWorld, createAwsWorld, instanceId, OTHER } from '../../test/aws-world.js';
import { ec2ErrorXml, errorXml, fail } from '../../test/fake-aws.js';

let world: AwsWorld;
beforeEach(async () => {
  world = await createAwsWorld();
  world.aws.instances.set(instanceId(1), { accountId: OTHER });
  world.associate(OTHER);
});
afterEach(() => world.close());

const look = (region = 'us-east-1', accountId = OTHER) =>
  world.provider.describeInstance({ accountId, region, instanceId: instanceId(1) });
const assumed = () => world.aws.called('AssumeRole').length;
const MINUTE = 60_000;

describe('credentials of an assumed role', () => {
  it('are asked for once by all who come at the same time, whatever they ask about', async () => {
    const principal = { partition: 'aws', accountId: OTHER, type: 'role', name: 'web' } as const;
    const regions = ['us-east-1', 'eu-west-1', 'ap-south-1'];
    await Promise.all([
      ...Array.from({ length: 30 }, (_, index) => look(regions[index % 3])),
      world.provider.describePrincipal(principal),
    ]);
    expect(assumed()).toBe(1);
  });

  it('are kept until they age, then asked for again', async () => {
    await look();
    world.clock.advance(10 * MINUTE);
    await look();
    expect(assumed()).toBe(1);
    world.clock.advance(3 * MINUTE);
    await look();
    expect(assumed()).toBe(2);
    const keys = world.aws.called('DescribeInstances').map(({ accessKeyId }) => accessKeyId);
    expect(new Set(keys).size).toBe(2);
  });

  it('serve on for as long as they hold while STS is away, and no longer', async () => {
    await look();
    world.aws.hook = (call, response) =>
      call.action === 'AssumeRole' && fail(response, 503, errorXml('ServiceUnavailable'));
    world.clock.advance(13 * MINUTE);
    expect((await look())?.accountId).toBe(OTHER);
    world.clock.advance(2 * MINUTE);
    await expect(look()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are given up at the first refusal to renew them', async () => {
    await look();
    world.aws.hook = (call, response) => call.action === 'AssumeRole' && fail(response, 403, errorXml('AccessDenied'));
    world.clock.advance(13 * MINUTE);
    await expect(look()).rejects.toMatchObject({ code: 'denied' });
  });

  it('are not offered again once EC2 takes them no longer', async () => {
    await look();
    world.aws.hook = (call, response) =>
      call.action === 'DescribeInstances' && fail(response, 401, ec2ErrorXml('AuthFailure'));
    await expect(look()).rejects.toMatchObject({ code: 'misconfigured' });
    world.aws.hook = () => false;
    expect((await look())?.accountId).toBe(OTHER);
    expect(assumed()).toBe(2);
  });

  it('do not outlive what STS says, nor fifteen minutes of our own clock', async () => {
    await world.close();
    world = await createAwsWorld();
    world.aws.instances.set(instanceId(1), { accountId: OTHER });
    world.associate(OTHER);
    // Our clock is an hour slow: what STS calls fifteen minutes looks like seventy-five.
    world.clock.set(Date.now() - 60 * MINUTE);
    await look();
    world.clock.advance(13 * MINUTE);
    await look();
    expect(assumed()).toBe(2);
  });
});

describe('what is kept', () => {
  const account = (number: number) => String(500_000_000_000 + number);

  it('is bounded: with room for two roles the third makes the first be assumed again', async () => {
    await world.close();
    world = await createAwsWorld({ limits: { maxAssumedRoles: 2, maxClients: 2 } });
    for (const number of [1, 2, 3]) world.associate(account(number));
    for (const number of [1, 2, 1, 3, 1, 2]) await look('us-east-1', account(number));
    const roles = world.aws.called('AssumeRole').map(({ parameters }) => parameters.get('RoleArn')?.slice(24, 25));
    expect(roles).toEqual(['1', '2', '3', '2']);
  });

  it('is right for every account when there is room for one only', async () => {
    await world.close();
    world = await createAwsWorld({ limits: { maxAssumedRoles: 1, maxClients: 1 } });
    const numbers = Array.from({ length: 12 }, (_, index) => index % 4);
    for (const number of numbers) {
      world.associate(account(number));
      world.aws.instances.set(instanceId(100 + number), { accountId: account(number) });
    }
    const found = await Promise.all(
      numbers.map((number) =>
        world.provider.describeInstance({
          accountId: account(number),
          region: 'us-east-1',
          instanceId: instanceId(100 + number),
        }),
      ),
    );
    expect(found.map((facts) => facts?.accountId)).toEqual(numbers.map(account));
  });
});
