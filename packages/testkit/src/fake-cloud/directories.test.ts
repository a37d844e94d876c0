import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from './fake-cloud.js';
import type { FakeCloudOptions } from './fake-cloud-types.js';

const own = '111122223333';
const other = '444455556666';
const makeCloud = (options: Partial<FakeCloudOptions> = {}) => {
  const clock = createManualClock(1_700_000_000_000);
  return { clock, cloud: createFakeCloud({ clock, seed: 'directories', ...options }) };
};

describe('describeInstance', () => {
  it('tells the facts of an instance as they are', async () => {
    const { cloud } = makeCloud();
    const profile = `arn:aws:iam::${own}:instance-profile/web`;
    const instance = cloud.launchInstance({ tags: { Name: 'web' }, instanceProfileArn: profile });
    const query = { accountId: own, region: 'us-east-1', instanceId: instance.instanceId };
    expect(await cloud.describeInstance(query)).toEqual({
      instanceId: instance.instanceId,
      accountId: own,
      region: 'us-east-1',
      state: 'running',
      imageId: instance.imageId,
      vpcId: instance.vpcId,
      subnetId: instance.subnetId,
      instanceProfileArn: profile,
      tags: new Map([['Name', 'web']]),
    });
    instance.setTags({ Other: '1' });
    instance.setInstanceProfile(undefined);
    instance.stop();
    expect(await cloud.describeInstance(query)).toMatchObject({
      state: 'stopped',
      instanceProfileArn: undefined,
      tags: new Map([['Other', '1']]),
    });
  });

  it('gives facts that a later change does not touch', async () => {
    const { cloud } = makeCloud();
    const instance = cloud.launchInstance({ tags: { a: '1' } });
    const query = { accountId: own, region: 'us-east-1', instanceId: instance.instanceId };
    const before = await cloud.describeInstance(query);
    instance.setTags({ a: '2' });
    instance.terminate();
    expect(before).toMatchObject({ state: 'running', tags: new Map([['a', '1']]) });
  });

  it.each([
    ['an unknown id', { instanceId: 'i-00000000000000000' }],
    ['another region', { region: 'us-west-2' }],
    ['another associated account', { accountId: other }],
  ])('knows none for %s', async (_, change) => {
    const { cloud } = makeCloud({ associatedAccountIds: [other] });
    const query = { accountId: own, region: 'us-east-1', instanceId: cloud.launchInstance().instanceId };
    expect(await cloud.describeInstance({ ...query, ...change })).toBeUndefined();
  });

  it('still tells of a terminated instance, and no more of one that vanished', async () => {
    const { cloud } = makeCloud();
    const instance = cloud.launchInstance();
    const query = { accountId: own, region: 'us-east-1', instanceId: instance.instanceId };
    instance.terminate();
    expect((await cloud.describeInstance(query))?.state).toBe('terminated');
    instance.vanish();
    expect(await cloud.describeInstance(query)).toBeUndefined();
  });

  it.each([
    ['the launch', {}, { invisibleForCalls: 2 }],
    ['the cloud', { invisibleForCalls: 2 }, {}],
  ])('does not see a new instance for as many lookups as %s says', async (_, options, launch) => {
    const { cloud } = makeCloud(options);
    const { instanceId } = cloud.launchInstance(launch);
    const found: boolean[] = [];
    for (let call = 0; call < 4; call++) {
      const query = { accountId: own, region: 'us-east-1', instanceId };
      found.push((await cloud.describeInstance(query)) !== undefined);
    }
    expect(found).toEqual([false, false, true, true]);
  });
});

describe('principals', () => {
  it('carry paths in their ARNs and are found by friendly name', async () => {
    const { cloud } = makeCloud();
    const role = cloud.createRole({ name: 'web', path: '/team/a/' });
    const user = cloud.createUser({ name: 'web' });
    expect(role.arn).toBe(`arn:aws:iam::${own}:role/team/a/web`);
    expect(user.arn).toBe(`arn:aws:iam::${own}:user/web`);
    expect(role.uniqueId).toMatch(/^AROA[A-Z2-7]{17}$/);
    expect(user.uniqueId).toMatch(/^AIDA[A-Z2-7]{17}$/);
    const query = { partition: 'aws', accountId: own, type: 'role', name: 'web' } as const;
    expect(await cloud.describePrincipal(query)).toEqual({ arn: role.arn, uniqueId: role.uniqueId });
    expect(await cloud.describePrincipal({ ...query, partition: 'aws-cn' })).toBeUndefined();
    expect(await cloud.describePrincipal({ ...query, name: 'team/a/web' })).toBeUndefined();
  });

  it('get a new unique id when re-created, and are not found meanwhile', async () => {
    const { cloud } = makeCloud();
    const role = cloud.createRole({ name: 'web' });
    const query = { partition: 'aws', accountId: own, type: 'role', name: 'web' } as const;
    const first = role.uniqueId;
    role.delete();
    expect(role.exists).toBe(false);
    expect(await cloud.describePrincipal(query)).toBeUndefined();
    role.recreate({ path: '/moved/' });
    const found = await cloud.describePrincipal(query);
    expect(found).toEqual({ arn: `arn:aws:iam::${own}:role/moved/web`, uniqueId: role.uniqueId });
    expect(role.uniqueId).not.toBe(first);
  });

  it('are one of a name in an account and type', () => {
    const { cloud } = makeCloud();
    const role = cloud.createRole({ name: 'web' });
    cloud.createRole({ name: 'web', accountId: other });
    expect(() => cloud.createRole({ name: 'web' })).toThrow(TypeError);
    role.delete();
    const successor = cloud.createRole({ name: 'web' });
    expect(() => role.recreate()).toThrow(TypeError);
    role.delete();
    expect(successor.exists).toBe(true);
  });

  it.each(['x/', '/x', '//', ''])('refuse the path %j', (path) => {
    expect(() => makeCloud().cloud.createUser({ name: 'web', path })).toThrow(TypeError);
  });

  it('take the partition from the region', () => {
    const { cloud } = makeCloud({ region: 'cn-north-1' });
    expect(cloud.createUser({ name: 'u' }).arn).toBe(`arn:aws-cn:iam::${own}:user/u`);
  });
});

describe('rolesOfProfile', () => {
  it('tells the roles that a profile of the account holds', async () => {
    const { cloud } = makeCloud({ associatedAccountIds: [other] });
    const role = cloud.createRole({ name: 'web', path: '/team/' });
    const profile = cloud.createInstanceProfile({ name: 'web-profile', path: '/p/', roleArns: [role.arn] });
    const query = { accountId: own, region: 'us-east-1', instanceProfileArn: profile.arn };
    expect(await cloud.rolesOfProfile(query)).toEqual([role.arn]);
    profile.setRoles([]);
    expect(await cloud.rolesOfProfile(query)).toEqual([]);
    expect(await cloud.rolesOfProfile({ ...query, accountId: other })).toBeUndefined();
    const withoutPath = `arn:aws:iam::${own}:instance-profile/web-profile`;
    expect(await cloud.rolesOfProfile({ ...query, instanceProfileArn: withoutPath })).toBeUndefined();
    profile.delete();
    expect(await cloud.rolesOfProfile(query)).toBeUndefined();
  });
});
