import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsWorld, createAwsWorld, instanceId, OTHER, OWN } from '../../test/aws-world.js';
import { ec2ErrorXml, fail } from '../../test/fake-aws.js';

let world: AwsWorld;
beforeEach(async () => {
  world = await createAwsWorld({ youngInstanceRetry: { delayMs: 10 } });
});
afterEach(() => world.close());

const query = (id: string, accountId = OWN, region = 'us-east-1') => ({ accountId, region, instanceId: id });
const describeInstance = (id: string) => world.provider.describeInstance(query(id));
const idsAsked = () =>
  world.aws
    .called('DescribeInstances')
    .map((call) => [...call.parameters.keys()].filter((name) => name.startsWith('InstanceId.')).length);

describe('the facts of an instance', () => {
  it('are what EC2 says of it', async () => {
    world.aws.instances.set(instanceId(1), {
      accountId: OWN,
      xml: `<placement><availabilityZone>us-east-1a</availabilityZone></placement><vpcId>vpc-1</vpcId><subnetId>subnet-1</subnetId>
        <iamInstanceProfile><arn>arn:aws:iam::${OWN}:instance-profile/a/web</arn><id>AIPA1</id></iamInstanceProfile>
        <tagSet><item><key>Name</key><value>web &amp; co</value></item><item><key>empty</key><value/></item></tagSet>`,
    });
    expect(await describeInstance(instanceId(1))).toEqual({
      instanceId: instanceId(1),
      accountId: OWN,
      region: 'us-east-1',
      state: 'running',
      imageId: 'ami-1',
      vpcId: 'vpc-1',
      subnetId: 'subnet-1',
      instanceProfileArn: `arn:aws:iam::${OWN}:instance-profile/a/web`,
      tags: new Map([
        ['Name', 'web & co'],
        ['empty', ''],
      ]),
    });
  });

  it('are absent where EC2 tells none, and stopped is a fact like any other', async () => {
    world.aws.instances.set(instanceId(1), { accountId: OWN, xml: '', state: 'stopped' });
    expect(await describeInstance(instanceId(1))).toMatchObject({
      state: 'stopped',
      region: 'us-east-1',
      vpcId: undefined,
      instanceProfileArn: undefined,
    });
  });

  it('name the region of the zone, when the endpoint answers for another region (INSTANCE-1)', async () => {
    const xml = '<placement><availabilityZone>eu-west-1-lax-1a</availabilityZone></placement>';
    world.aws.instances.set(instanceId(1), { accountId: OWN, xml });
    expect((await describeInstance(instanceId(1)))?.region).toBe('eu-west-1');
  });

  it('are none for an id that EC2 does not know', async () => {
    expect(await describeInstance(instanceId(9))).toBeUndefined();
  });

  it.each(['', 'web', 'i-1', 'i-0000000000000000g', `${instanceId(1)}'`, 'i-00000001\ni-00000002'])(
    'are none, without a call, for %j, which is no instance id',
    async (id) => {
      expect(await describeInstance(id)).toBeUndefined();
      expect(world.aws.called('DescribeInstances')).toEqual([]);
    },
  );

  it.each(['', 'us-east-1.evil.example', 'us-east-1/', '@evil', 'us-east-1a'])(
    'are not asked of %j, which is no region and would become a host name (THREAT-27)',
    async (region) => {
      const asked = world.provider.describeInstance(query(instanceId(1), OWN, region));
      await expect(asked).rejects.toMatchObject({ code: 'misconfigured' });
      expect(world.aws.calls).toEqual([]);
    },
  );
});

describe('questions at the same time', () => {
  const launch = (count: number, accountId = OWN) => {
    const ids = Array.from({ length: count }, (_, index) => instanceId(index + (accountId === OWN ? 0 : 5000)));
    for (const id of ids) world.aws.instances.set(id, { accountId });
    return ids;
  };

  it('a hundred travel as one call (INSTANCE-3)', async () => {
    const found = await Promise.all(launch(100).map(describeInstance));
    expect(found.map((facts) => facts?.instanceId)).toEqual(launch(100));
    expect(idsAsked()).toEqual([100]);
  });

  it('never make a call of more than a hundred', async () => {
    await Promise.all(launch(250).map(describeInstance));
    expect(idsAsked().toSorted((a, b) => b - a)).toEqual([100, 100, 50]);
  });

  it('for one instance ask for it once', async () => {
    const [id = ''] = launch(1);
    await Promise.all(Array.from({ length: 20 }, () => describeInstance(id)));
    expect(idsAsked()).toEqual([1]);
  });

  it('of two regions or accounts travel apart, each with its own credentials', async () => {
    world.associate(OTHER);
    const [mine = ''] = launch(1);
    const [theirs = ''] = launch(1, OTHER);
    const found = await Promise.all([
      describeInstance(mine),
      world.provider.describeInstance(query(theirs, OTHER)),
      world.provider.describeInstance(query(mine, OWN, 'eu-west-1')),
    ]);
    expect(found.map((facts) => facts?.accountId)).toEqual([OWN, OTHER, OWN]);
    const calls = world.aws
      .called('DescribeInstances')
      .map((call) => `${world.aws.keys.get(call.accessKeyId)} ${call.region}`);
    expect(calls.toSorted()).toEqual([`${OWN} eu-west-1`, `${OWN} us-east-1`, `${OTHER} us-east-1`]);
  });

  it('are all answered when some ids are unknown, at the cost of one call more', async () => {
    const ids = launch(50);
    const unknown = [instanceId(901), instanceId(902)];
    const found = await Promise.all([...ids, ...unknown].map(describeInstance));
    expect(found.filter((facts) => facts !== undefined).map((facts) => facts.instanceId)).toEqual(ids);
    expect(idsAsked()).toEqual([52, 50]);
  });

  it('are all answered when EC2 names one unknown id at a time, or none', async () => {
    const ids = launch(20);
    const unknown = [instanceId(901), instanceId(902), instanceId(903)];
    for (const says of [`'${unknown[0]}'`, '', instanceId(77_777)]) {
      world.aws.hook = (call, response) => {
        const asked = new Set(call.parameters.values());
        if (!unknown.some((id) => asked.has(id))) return false;
        return fail(response, 400, ec2ErrorXml('InvalidInstanceID.NotFound', `The instance ID ${says} does not exist`));
      };
      const found = await Promise.all([...ids, ...unknown].map(describeInstance));
      expect(found.map((facts) => facts !== undefined)).toEqual([...ids.map(() => true), ...unknown.map(() => false)]);
    }
  });

  it('one caller who gives up leaves the others their answer', async () => {
    const [first = '', second = ''] = launch(2);
    const controller = new AbortController();
    const gaveUp = world.provider.describeInstance(query(first), { signal: controller.signal });
    const stays = describeInstance(second);
    controller.abort();
    await expect(gaveUp).rejects.toMatchObject({ code: 'unavailable' });
    expect((await stays)?.instanceId).toBe(second);
  });

  it('a caller who gave up before asking makes no call', async () => {
    const asked = world.provider.describeInstance(query(instanceId(1)), { signal: AbortSignal.abort() });
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    expect(world.aws.calls).toEqual([]);
  });
});

describe('an instance that EC2 does not see yet', () => {
  const young = (id: string) => ({ ...query(id), launchedAfter: world.clock.now() - 5_000 });
  const appearAfter = (calls: number) => {
    let seen = 0;
    world.aws.hook = (call) => {
      if (call.action === 'DescribeInstances' && ++seen > calls)
        world.aws.instances.set(instanceId(1), { accountId: OWN });
      return false;
    };
  };

  it('is found when it was launched just now', async () => {
    appearAfter(2);
    expect((await world.provider.describeInstance(young(instanceId(1))))?.state).toBe('running');
    expect(idsAsked()).toEqual([1, 1, 1]);
  });

  it('is looked for a bounded number of times', async () => {
    expect(await world.provider.describeInstance(young(instanceId(1)))).toBeUndefined();
    expect(idsAsked()).toEqual([1, 1, 1, 1]);
  });

  it.each([
    ['old', -300_000],
    ['of the future', 300_000],
  ])('is looked for once when it is %s', async (_, offsetMs) => {
    const launchedAfter = world.clock.now() + offsetMs;
    const found = await world.provider.describeInstance({ ...query(instanceId(1)), launchedAfter });
    expect(found).toBeUndefined();
    expect(idsAsked()).toEqual([1]);
  });

  it('releases a caller that gave up', async () => {
    const signal = AbortSignal.timeout(15);
    const asked = world.provider.describeInstance(young(instanceId(1)), { signal });
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
  });
});
