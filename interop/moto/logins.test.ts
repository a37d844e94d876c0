/** Logins through core-auth, with everything that they ask about the cloud asked of moto. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MotoAccount, type MotoCloud, OTHER, OWN, REGION, startMotoCloud } from './moto-cloud.js';
import { createPosternOnMoto, type PosternOnMoto } from './postern-on-moto.js';

let moto: MotoCloud;
let own: MotoAccount;
let other: MotoAccount;
let postern: PosternOnMoto;
beforeAll(async () => {
  moto = await startMotoCloud();
  own = await moto.account(OWN);
  other = await moto.account(OTHER);
  await own.createUser('postern');
  postern = await createPosternOnMoto(moto, await own.createKey('postern'));
});
afterAll(async () => {
  await postern?.close();
  await moto?.stop();
});

const putRole = (role: string, fields: Record<string, unknown>) => postern.call('role.write', { role }, fields);
const associate = (accountId: string) =>
  postern.call('config.sts.write', { account_id: accountId }, { sts_role: `arn:aws:iam::${accountId}:role/postern` });

describe('an instance that moto runs', () => {
  it('logs in, bound to its account, network, image and profile, and to the role in its profile', async () => {
    const role = await own.createRole('instance-role', '/team/');
    const profile = await own.createProfile('instance-profile', '/p/', 'instance-role');
    const [instance] = await own.run({ profileArn: profile.arn });
    await putRole('bound', {
      auth_type: 'ec2',
      bound_account_id: OWN,
      bound_region: REGION,
      bound_ami_id: instance!.ImageId,
      bound_vpc_id: instance!.VpcId,
      bound_subnet_id: instance!.SubnetId,
      bound_iam_instance_profile_arn: profile.arn,
      bound_iam_role_arn: role.arn,
    });
    const { auth } = await postern.loginInstance('bound', instance!);
    expect(auth?.client_token).toMatch(/./);

    await putRole('elsewhere', { auth_type: 'ec2', bound_iam_role_arn: `arn:aws:iam::${OWN}:role/instance-role` });
    await expect(postern.loginInstance('elsewhere', instance!)).rejects.toMatchObject({
      code: 'bound_iam_role_arn_mismatch',
    });
  });

  it.each([
    ['stopped', 'instance_not_running'],
    ['terminated', 'instance_not_running'],
  ] as const)('does not log in once it is %s', async (state, code) => {
    const [instance] = await own.run();
    await putRole('any', { auth_type: 'ec2', bound_account_id: OWN });
    await postern.loginInstance('any', instance!);
    if (state === 'stopped') await own.stopInstance(instance!.InstanceId!);
    else await own.terminateInstance(instance!.InstanceId!);
    await expect(postern.loginInstance('any', instance!)).rejects.toMatchObject({ code });
  });

  it('that moto does not run does not log in', async () => {
    await putRole('any', { auth_type: 'ec2', bound_account_id: OWN });
    const nobody = { InstanceId: 'i-0123456789abcdef0', ImageId: 'ami-1' };
    await expect(postern.loginInstance('any', nobody)).rejects.toMatchObject({ code: 'instance_not_found' });
  });

  it('of another account logs in through its association, and not before or after', async () => {
    const [theirs] = await other.run();
    await putRole('theirs', { auth_type: 'ec2', bound_account_id: OTHER });
    const login = () => postern.loginInstance('theirs', theirs!, { accountId: OTHER });
    await expect(login()).rejects.toMatchObject({ code: 'account_not_allowed' });
    await associate(OTHER);
    expect((await login()).auth?.client_token).toMatch(/./);
    await postern.call('config.sts.delete', { account_id: OTHER });
    await expect(login()).rejects.toMatchObject({ code: 'account_not_allowed' });
  });

  it('logs in thirty at the same time', async () => {
    const instances = await own.run({ count: 30 });
    await putRole('any', { auth_type: 'ec2', bound_account_id: OWN });
    const outcomes = await Promise.all(instances.map((instance) => postern.loginInstance('any', instance)));
    expect(new Set(outcomes.map(({ auth }) => auth?.client_token)).size).toBe(30);
  });
});

describe('a principal that moto knows', () => {
  it('logs in as a user with a path', async () => {
    const user = await own.createUser('alice', '/people/');
    await putRole('alice', { auth_type: 'iam', bound_iam_principal_arn: user.arn });
    expect((await postern.loginPrincipal('alice', await own.createKey('alice'))).auth?.client_token).toMatch(/./);
  });

  it('is not believed on the word of another service: moto answers a signed GET from S3', async () => {
    const user = await own.createUser('bob');
    await putRole('bob', { auth_type: 'iam', bound_iam_principal_arn: user.arn });
    const login = postern.loginPrincipal('bob', await own.createKey('bob'), 'GET');
    await expect(login).rejects.toMatchObject({ code: 'evidence_unverified' });
  });

  it('logs in as a role with a path, bound by its full ARN and resolved to its unique id', async () => {
    const role = await own.createRole('service', '/team/');
    await putRole('service', { auth_type: 'iam', bound_iam_principal_arn: role.arn });
    const session = await moto.assume(role.arn);
    expect((await postern.loginPrincipal('service', session)).auth?.client_token).toMatch(/./);
    const { data } = await postern.call('role.read', { role: 'service' });
    expect(data?.['bound_iam_principal_id']).toEqual([role.uniqueId]);
  });

  it('that was re-created does not log in until the role is posted again', async () => {
    const first = await own.createRole('recreated');
    const bound = { auth_type: 'iam', bound_iam_principal_arn: first.arn };
    await putRole('recreated', bound);
    await postern.loginPrincipal('recreated', await moto.assume(first.arn));
    await own.deleteRole('recreated');
    const second = await own.createRole('recreated');
    expect(second.arn).toBe(first.arn);
    const session = await moto.assume(second.arn);
    await expect(postern.loginPrincipal('recreated', session)).rejects.toMatchObject({
      code: expect.stringContaining('principal'),
    });
    await putRole('recreated', bound);
    expect((await postern.loginPrincipal('recreated', session)).auth?.client_token).toMatch(/./);
  });

  it('that does not exist cannot be bound', async () => {
    const missing = { auth_type: 'iam', bound_iam_principal_arn: `arn:aws:iam::${OWN}:role/missing` };
    await expect(putRole('missing', missing)).rejects.toMatchObject({ name: 'AuthError' });
  });

  it('of the same role name in another account does not log in, in any order and fifty at a time', async () => {
    await associate(OTHER);
    const ours = await own.createRole('twin');
    const theirs = await other.createRole('twin');
    await putRole('twin', {
      auth_type: 'iam',
      bound_iam_principal_arn: `arn:aws:iam::${OWN}:role/tw*`,
      resolve_cloud_unique_ids: false,
    });
    await putRole('twin-by-id', { auth_type: 'iam', bound_iam_principal_arn: ours.arn });
    const sessions = [await moto.assume(ours.arn), await moto.assume(theirs.arn)];
    for (const role of ['twin', 'twin-by-id']) {
      const logins = Array.from({ length: 50 }, async (_, index) => {
        try {
          await postern.loginPrincipal(role, sessions[index % 2]!);
          return 'in';
        } catch {
          return 'out';
        }
      });
      expect(await Promise.all(logins)).toEqual(
        Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'in' : 'out')),
      );
    }
    await postern.call('config.sts.delete', { account_id: OTHER });
  });

  it('is inferred to be the instance that its session names, by the role in its profile', async () => {
    const role = await own.createRole('inferred');
    const profile = await own.createProfile('inferred', '/', 'inferred');
    const [instance, foreign] = await own.run({ count: 2, profileArn: profile.arn });
    const [bare] = await own.run();
    await putRole('inferred', {
      auth_type: 'iam',
      bound_iam_principal_arn: role.arn,
      inferred_entity_type: 'ec2_instance',
      inferred_cloud_region: REGION,
      bound_ami_id: instance!.ImageId,
    });
    const loginAs = async (sessionName: string) =>
      postern.loginPrincipal('inferred', await moto.assume(role.arn, sessionName));
    expect((await loginAs(instance!.InstanceId!)).auth?.client_token).toMatch(/./);
    await expect(loginAs(bare!.InstanceId!)).rejects.toMatchObject({ name: 'AuthError' });
    await own.terminateInstance(foreign!.InstanceId!);
    await expect(loginAs(foreign!.InstanceId!)).rejects.toMatchObject({ name: 'AuthError' });
    await expect(loginAs('no-instance')).rejects.toMatchObject({ name: 'AuthError' });
  });
});
