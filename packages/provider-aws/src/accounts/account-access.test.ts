import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsWorld, createAwsWorld, instanceId, OTHER, OWN, OWN_KEY } from '../../test/aws-world.js';
import { errorXml, fail } from '../../test/fake-aws.js';

const THIRD = '777788889999';
let world: AwsWorld;
beforeEach(async () => {
  world = await createAwsWorld();
  for (const [index, accountId] of [OWN, OTHER, THIRD].entries()) {
    world.aws.instances.set(instanceId(index), { accountId });
    const arn = `arn:aws:iam::${accountId}:role/web`;
    world.aws.iam.set(`${accountId} GetRole web`, `<Role><Arn>${arn}</Arn><RoleId>AROA${accountId}</RoleId></Role>`);
  }
});
afterEach(() => world.close());

const lookInstance = (accountId: string, number: number) =>
  world.provider.describeInstance({ accountId, region: 'us-east-1', instanceId: instanceId(number) });
const lookRole = (accountId: string, partition = 'aws') =>
  world.provider.describePrincipal({ partition, accountId, type: 'role', name: 'web' });
/** Whose credentials reached EC2 and IAM. */
const reached = () =>
  world.aws.calls.filter(({ service }) => service !== 'sts').map(({ accessKeyId }) => world.aws.keys.get(accessKeyId));

describe('the provider’s own account', () => {
  it('is asked with its own credentials, and its identity is asked once', async () => {
    expect((await lookInstance(OWN, 0))?.accountId).toBe(OWN);
    await Promise.all([lookRole(OWN), lookInstance(OWN, 0), lookRole(OWN)]);
    expect(world.aws.called('GetCallerIdentity')).toHaveLength(1);
    expect(world.aws.called('AssumeRole')).toEqual([]);
  });

  it('is found once by questions that come at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => lookInstance(OWN, 0)));
    expect(world.aws.called('GetCallerIdentity')).toHaveLength(1);
  });

  it('is not remembered from an answer that did not come', async () => {
    world.aws.hook = (_, response) => fail(response, 500, errorXml('InternalFailure'));
    await expect(lookInstance(OWN, 0)).rejects.toMatchObject({ code: 'unavailable' });
    world.aws.hook = () => false;
    expect((await lookInstance(OWN, 0))?.accountId).toBe(OWN);
  });

  it('is reached through its association where it has one', async () => {
    world.associate(OWN);
    await lookInstance(OWN, 0);
    expect(world.aws.called('AssumeRole')).toHaveLength(1);
    expect(world.aws.called('GetCallerIdentity')).toEqual([]);
  });
});

describe('an account that is neither our own nor associated (ASSOC-4, THREAT-28)', () => {
  it.each([
    ['at first', async () => undefined],
    ['after our own account was asked in the same region', () => Promise.all([lookInstance(OWN, 0), lookRole(OWN)])],
  ])('is refused before any call for it, %s', async (_, before) => {
    await before();
    const asked = reached().length;
    await expect(lookInstance(OTHER, 1)).rejects.toMatchObject({ code: 'account_not_allowed' });
    await expect(lookRole(OTHER)).rejects.toMatchObject({ code: 'account_not_allowed' });
    expect(reached()).toHaveLength(asked);
  });

  it('is our own account number in another partition, too', async () => {
    await expect(lookRole(OWN, 'aws-cn')).rejects.toMatchObject({ code: 'account_not_allowed' });
    const query = { accountId: OWN, region: 'cn-north-1', instanceId: instanceId(0) };
    await expect(world.provider.describeInstance(query)).rejects.toMatchObject({
      code: 'account_not_allowed',
    });
    expect(world.aws.calls).toEqual([]);
  });
});

describe('an associated account', () => {
  it('is asked with the role that is associated with it, for 900 seconds and by our name', async () => {
    world.associate(OTHER);
    expect((await lookInstance(OTHER, 1))?.accountId).toBe(OTHER);
    const [call] = world.aws.called('AssumeRole');
    expect(call?.accessKeyId).toBe(OWN_KEY);
    expect(call?.parameters.get('RoleArn')).toBe(`arn:aws:iam::${OTHER}:role/postern`);
    expect(call?.parameters.get('DurationSeconds')).toBe('900');
    expect(call?.parameters.get('RoleSessionName')).toMatch(/^postern-\d+$/);
    expect(reached()).toEqual([OTHER]);
  });

  it.each([
    [undefined, null],
    ['', null],
    ['out-1', 'out-1'],
  ])('sends the external id %j as %j (ASSOC-3)', async (externalId, sent) => {
    world.associate(OTHER, { externalId });
    await lookInstance(OTHER, 1);
    expect(world.aws.called('AssumeRole')[0]?.parameters.get('ExternalId')).toBe(sent);
  });

  it('is denied where its role cannot be assumed', async () => {
    world.associate(OTHER);
    world.aws.hook = (call, response) =>
      call.action === 'AssumeRole' && fail(response, 403, errorXml('AccessDenied', 'not authorized'));
    await expect(lookInstance(OTHER, 1)).rejects.toMatchObject({ code: 'denied' });
    world.aws.hook = () => false;
    expect((await lookInstance(OTHER, 1))?.accountId).toBe(OTHER);
  });

  it.each([
    ['of a third account', `arn:aws:iam::${THIRD}:role/postern`],
    ['of another partition', `arn:aws-cn:iam::${OTHER}:role/postern`],
    ['that is a user', `arn:aws:iam::${OTHER}:user/postern`],
    ['that is no ARN', 'postern'],
  ])('is not asked with a role %s', async (_, stsRole) => {
    world.configuration.associations.set(OTHER, { stsRole });
    await expect(lookInstance(OTHER, 1)).rejects.toMatchObject({ code: 'misconfigured' });
    expect(world.aws.called('AssumeRole')).toEqual([]);
  });

  it('is not asked with credentials of an account that STS chose instead', async () => {
    world.associate(OTHER);
    world.aws.hook = (call) => {
      if (call.action === 'AssumeRole') call.parameters.set('RoleArn', `arn:aws:iam::${THIRD}:role/postern`);
      return false;
    };
    await expect(lookInstance(OTHER, 1)).rejects.toMatchObject({ code: 'unavailable' });
    expect(reached()).toEqual([]);
  });
});

describe('the same role name in two accounts (CVE-2025-11621, CVE-2025-59048)', () => {
  const ids = (accountId: string) => ({ arn: `arn:aws:iam::${accountId}:role/web`, uniqueId: `AROA${accountId}` });

  it.each([
    ['one after the other', [OTHER, THIRD, OWN, THIRD, OTHER]],
    ['in the other order', [OWN, THIRD, OTHER, OWN]],
  ])('is kept apart %s', async (_, order) => {
    world.associate(OTHER);
    world.associate(THIRD);
    for (const accountId of order) expect(await lookRole(accountId)).toEqual(ids(accountId));
  });

  it('is kept apart by fifty at the same time', async () => {
    world.associate(OTHER);
    world.associate(THIRD);
    const accounts = Array.from({ length: 50 }, (_, index) => [OWN, OTHER, THIRD][index % 3] ?? OWN);
    expect(await Promise.all(accounts.map((accountId) => lookRole(accountId)))).toEqual(accounts.map(ids));
    expect(world.aws.called('AssumeRole')).toHaveLength(2);
    expect(world.aws.called('GetRole')).toHaveLength(3);
  });

  it('is refused when IAM answers with a role of another account', async () => {
    world.associate(OTHER);
    world.aws.iam.set(`${OTHER} GetRole web`, world.aws.iam.get(`${OWN} GetRole web`) ?? '');
    await expect(lookRole(OTHER)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
