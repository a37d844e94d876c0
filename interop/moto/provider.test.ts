/** The AWS adapter against moto: an emulator that nobody here wrote. */
import { CreateTagsCommand, DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import type { InstanceFacts } from '@postern/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MotoAccount, type MotoCloud, OTHER, OWN, REGION, startMotoCloud } from './moto-cloud.js';
import { createProviderOnMoto } from './postern-on-moto.js';

const OWN_ROLE = `arn:aws:iam::${OWN}:role/admin`;

let moto: MotoCloud;
let own: MotoAccount;
let other: MotoAccount;
beforeAll(async () => {
  moto = await startMotoCloud();
  own = await moto.account(OWN);
  other = await moto.account(OTHER);
});
afterAll(() => moto?.stop());

function makeProvider() {
  const key = { accessKeyId: 'AKIAPOSTERNPOSTERN01', secretAccessKey: 'secret' };
  const { provider, associations } = createProviderOnMoto(moto, key, -1);
  const look = (instanceId: string | undefined, accountId = OWN, region = REGION) =>
    provider.describeInstance({ accountId, region, instanceId: instanceId ?? '' });
  return { provider, associations, look };
}

describe('an instance that moto runs', () => {
  it('has the facts that moto says of it', async () => {
    const role = await own.createRole('web', '/team/');
    const profile = await own.createProfile('web-profile', '/profiles/', 'web');
    const [instance] = await own.run({ profileArn: profile.arn });
    const { provider, look } = makeProvider();
    const facts = await look(instance?.InstanceId);
    expect(facts).toEqual<InstanceFacts>({
      instanceId: instance?.InstanceId ?? '',
      accountId: OWN,
      region: REGION,
      state: 'running',
      imageId: instance?.ImageId,
      vpcId: instance?.VpcId,
      subnetId: instance?.SubnetId,
      instanceProfileArn: profile.arn,
      tags: new Map([['Name', 'web']]),
    });
    const query = { accountId: OWN, region: REGION, instanceProfileArn: facts?.instanceProfileArn ?? '' };
    expect(await provider.rolesOfProfile(query)).toMatchObject([
      { arn: role.arn, uniqueId: expect.stringMatching(/^AROA/) },
    ]);
    await provider.close();
  });

  it('has the facts that the client of the SDK reads, whatever its tags say', async () => {
    const instances = await own.run({ count: 3 });
    const ids = instances.map(({ InstanceId }) => InstanceId ?? '');
    await own.stopInstance(ids[1] ?? '');
    const client = new EC2Client({ region: REGION, endpoint: moto.url, credentials: await moto.assume(OWN_ROLE) });
    const odd = ['<b>&amp;</b>', ' "spaces" ', "it's", 'größe 日本 𝕏', ''].map((Value, at) => ({
      Key: `k${at} <&>`,
      Value,
    }));
    await client.send(new CreateTagsCommand({ Resources: ids, Tags: odd }));
    const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ InstanceIds: ids }));
    const read = Reservations.flatMap(({ Instances = [], OwnerId }) => Instances.map((each) => ({ ...each, OwnerId })));
    const { provider, look } = makeProvider();
    for (const { InstanceId, OwnerId, State, ImageId, VpcId, SubnetId, IamInstanceProfile, Tags = [] } of read) {
      expect(await look(InstanceId)).toEqual({
        instanceId: InstanceId,
        accountId: OwnerId,
        region: REGION,
        state: State?.Name,
        imageId: ImageId,
        vpcId: VpcId,
        subnetId: SubnetId,
        instanceProfileArn: IamInstanceProfile?.Arn,
        tags: new Map(Tags.map(({ Key = '', Value = '' }) => [Key, Value])),
      });
    }
    expect(read.map(({ State }) => State?.Name).toSorted()).toEqual(['running', 'running', 'stopped']);
    client.destroy();
    await provider.close();
  });

  it('stops and terminates', async () => {
    const [stopped, terminated] = await own.run({ count: 2 });
    await own.stopInstance(stopped?.InstanceId ?? '');
    await own.terminateInstance(terminated?.InstanceId ?? '');
    const { provider, look } = makeProvider();
    expect((await look(stopped?.InstanceId))?.state).toBe('stopped');
    expect((await look(terminated?.InstanceId))?.state).toBe('terminated');
    await provider.close();
  });

  it('is found among hundred and fifty asked for at once, unknown ones between them', async () => {
    const instances = await own.run({ count: 150 });
    const ids = instances.map(({ InstanceId }) => InstanceId ?? '');
    const unknown = ['i-00000000000000001', 'i-00000000000000002', 'i-00000001'];
    const { provider, look } = makeProvider();
    const found = await Promise.all([...ids, ...unknown].map((id) => look(id)));
    expect(found.map((facts) => facts?.instanceId)).toEqual([...ids, ...unknown.map(() => undefined)]);
    await provider.close();
  });

  it('is in its region and account, and in no other', async () => {
    const [here] = await own.run({ region: 'eu-west-1' });
    const [theirs] = await other.run();
    const { provider, look } = makeProvider();
    expect((await look(here?.InstanceId, OWN, 'eu-west-1'))?.region).toBe('eu-west-1');
    expect(await look(here?.InstanceId)).toBeUndefined();
    expect((await look(theirs?.InstanceId, OTHER))?.accountId).toBe(OTHER);
    expect(await look(theirs?.InstanceId)).toBeUndefined();
    await provider.close();
  });
});

describe('another account', () => {
  it('is out of reach without an association, and from the moment when it has none any more', async () => {
    const [theirs] = await other.run();
    const { provider, associations, look } = makeProvider();
    await expect(look(theirs?.InstanceId, '999999999999')).rejects.toMatchObject({ code: 'account_not_allowed' });
    expect((await look(theirs?.InstanceId, OTHER))?.state).toBe('running');
    associations.clear();
    await expect(look(theirs?.InstanceId, OTHER)).rejects.toMatchObject({ code: 'account_not_allowed' });
    await provider.close();
  });

  it('keeps roles of the same name in two accounts apart, fifty at the same time', async () => {
    const ours = await own.createRole('same-name');
    const theirs = await other.createRole('same-name', '/elsewhere/');
    const { provider } = makeProvider();
    const accounts = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? OWN : OTHER));
    const found = await Promise.all(
      accounts.map((accountId) =>
        provider.describePrincipal({ partition: 'aws', accountId, type: 'role', name: 'same-name' }),
      ),
    );
    expect(found).toEqual(accounts.map((accountId) => (accountId === OWN ? ours : theirs)));
    await provider.close();
  });
});

describe('a principal', () => {
  it.each(['user', 'role', 'instance-profile'] as const)(
    'that is a %s is found with its path and unique id',
    async (type) => {
      const name = `found-${type}`;
      const create = { user: own.createUser, role: own.createRole, 'instance-profile': own.createProfile }[type];
      const made = await create(name, '/a/b/');
      const { provider } = makeProvider();
      const query = { partition: 'aws', accountId: OWN, type } as const;
      expect(await provider.describePrincipal({ ...query, name })).toEqual(made);
      expect(made.arn).toContain(`:${type}/a/b/${name}`);
      expect(await provider.describePrincipal({ ...query, name: 'missing' })).toBeUndefined();
      await provider.close();
    },
  );

  it('that is re-created has another unique id', async () => {
    const first = await own.createRole('recreated');
    await own.deleteRole('recreated');
    const { provider } = makeProvider();
    const look = () =>
      provider.describePrincipal({ partition: 'aws', accountId: OWN, type: 'role', name: 'recreated' });
    expect(await look()).toBeUndefined();
    const second = await own.createRole('recreated');
    expect(await look()).toEqual(second);
    expect(second.uniqueId).not.toBe(first.uniqueId);
    await provider.close();
  });
});
