import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsWorld, createAwsWorld, OTHER, OWN } from '../../test/aws-world.js';

let world: AwsWorld;
beforeEach(async () => {
  world = await createAwsWorld();
});
afterEach(() => world.close());

type Type = 'user' | 'role' | 'instance-profile';
const look = (type: Type, name: string, accountId = OWN) =>
  world.provider.describePrincipal({ partition: 'aws', accountId, type, name });

const KINDS = [
  ['user', 'GetUser', 'User', 'UserId', 'AIDA1'],
  ['role', 'GetRole', 'Role', 'RoleId', 'AROA1'],
  ['instance-profile', 'GetInstanceProfile', 'InstanceProfile', 'InstanceProfileId', 'AIPA1'],
] as const;

describe.each(KINDS)('a %s', (type, action, element, idElement, id) => {
  const put = (arn: string, name = 'web') =>
    world.aws.iam.set(
      `${OWN} ${action} ${name}`,
      `<${element}><Arn>${arn}</Arn><${idElement}>${id}</${idElement}></${element}>`,
    );

  it('is its full ARN, path included, and its unique id', async () => {
    const arn = `arn:aws:iam::${OWN}:${type}/team/a/web`;
    put(arn);
    expect(await look(type, 'web')).toEqual({ arn, uniqueId: id });
    expect(world.aws.called(action)[0]?.region).toBe('us-east-1');
  });

  it('is undefined where IAM does not know the name', async () => {
    expect(await look(type, 'missing')).toBeUndefined();
    expect(world.aws.called(action)).toHaveLength(1);
  });

  it.each(['', 'team/web', 'web*', 'w b', 'wéb', 'x'.repeat(129), 'web&UserName=root'])(
    'is none, without a call, for %j, which is no name',
    async (name) => {
      expect(await look(type, name)).toBeUndefined();
      expect(world.aws.calls).toEqual([]);
    },
  );

  it.each([
    ['another account', `arn:aws:iam::${OTHER}:${type}/web`],
    ['another partition', `arn:aws-cn:iam::${OWN}:${type}/web`],
    ['another type', `arn:aws:iam::${OWN}:group/web`],
    ['no ARN', 'web'],
  ])('could not be found out from an answer about %s (PROVIDER-4)', async (_, arn) => {
    put(arn);
    await expect(look(type, 'web')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is undefined where the response is about another name', async () => {
    put(`arn:aws:iam::${OWN}:${type}/Web`);
    expect(await look(type, 'web')).toBeUndefined();
  });

  it('is asked about once by many at the same time, and again by who comes later', async () => {
    put(`arn:aws:iam::${OWN}:${type}/web`);
    await Promise.all(Array.from({ length: 10 }, () => look(type, 'web')));
    expect(world.aws.called(action)).toHaveLength(1);
    await look(type, 'web');
    expect(world.aws.called(action)).toHaveLength(2);
  });
});

it('an unknown partition is misconfigured', async () => {
  const query = { partition: 'aws-moon', accountId: OWN, type: 'role', name: 'web' } as const;
  await expect(world.provider.describePrincipal(query)).rejects.toMatchObject({ code: 'misconfigured' });
});

describe('the roles of an instance profile', () => {
  const ARN = `arn:aws:iam::${OWN}:instance-profile/team/web`;
  const rolesOf = (instanceProfileArn: string, accountId = OWN, region = 'eu-west-1') =>
    world.provider.rolesOfProfile({ accountId, region, instanceProfileArn });
  const put = (arn: string, ...roles: string[]) =>
    world.aws.iam.set(
      `${OWN} GetInstanceProfile web`,
      `<InstanceProfile><Arn>${arn}</Arn><Roles>${roles.map((role) => `<member><Arn>${role}</Arn><RoleId>AROA1</RoleId></member>`).join('')}</Roles></InstanceProfile>`,
    );

  it('are their full ARNs and unique ids', async () => {
    const role = `arn:aws:iam::${OWN}:role/team/b/web`;
    put(ARN, role);
    expect(await rolesOf(ARN)).toEqual([{ arn: role, uniqueId: 'AROA1' }]);
  });

  it('are an empty list for a profile that holds none, and nothing for no profile', async () => {
    put(ARN);
    expect(await rolesOf(ARN)).toEqual([]);
    world.aws.iam.clear();
    expect(await rolesOf(ARN)).toBeUndefined();
  });

  it('are nothing for a profile that was re-created below another path', async () => {
    put(`arn:aws:iam::${OWN}:instance-profile/other/web`, `arn:aws:iam::${OWN}:role/web`);
    expect(await rolesOf(ARN)).toBeUndefined();
  });

  it.each([
    ['of another account', `arn:aws:iam::${OTHER}:instance-profile/web`],
    ['of another partition', `arn:aws-cn:iam::${OWN}:instance-profile/web`],
    ['that is a role', `arn:aws:iam::${OWN}:role/web`],
    ['that is no ARN', 'web'],
    ['without a name', `arn:aws:iam::${OWN}:instance-profile/`],
  ])('are nothing, without a call, for a profile %s', async (_, arn) => {
    expect(await rolesOf(arn)).toBeUndefined();
    expect(world.aws.calls).toEqual([]);
  });

  it.each([
    ['the profile', `arn:aws:iam::${OTHER}:instance-profile/team/web`, `arn:aws:iam::${OWN}:role/web`],
    ['a role', ARN, `arn:aws:iam::${OTHER}:role/web`],
  ])('could not be found out when %s is of another account', async (_, arn, role) => {
    put(arn, role);
    await expect(rolesOf(ARN)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are asked of an associated account with its own credentials', async () => {
    world.associate(OTHER);
    expect(await rolesOf(`arn:aws:iam::${OTHER}:instance-profile/web`, OTHER)).toBeUndefined();
    expect(world.aws.keys.get(world.aws.called('GetInstanceProfile')[0]?.accessKeyId ?? '')).toBe(OTHER);
  });
});
