/** Explanations of logins of principals: they agree with the login, and leave the signed request usable. */
import { describe, expect, it } from 'vitest';
import { createIamWorld, type IamWorld } from '../../../test/create-iam-world.js';
import { ACCOUNT, codeOf, createTestMethod, tokenParameters } from '../../../test/create-test-method.js';
import type { Role } from '../../roles/role.js';
import type { CheckResult as Check } from '../role-checks.js';

const BOB = `arn:aws:iam::${ACCOUNT}:user/path/Bob`;

interface Explained {
  readonly would_allow: boolean;
  readonly checks: readonly Check[];
}

async function explained(test: Pick<IamWorld, 'host'>, fields: Readonly<Record<string, unknown>>): Promise<Explained> {
  const { data } = await test.host('role.explain', { role: 'bob' }, { peer_address: '10.0.0.1', ...fields });
  return data as unknown as Explained;
}

const failures = ({ checks }: Explained) => checks.filter(({ passed }) => passed === false).map(({ code }) => code);
const find = ({ checks }: Explained, name: string) => checks.find(({ check }) => check === name);

async function world(role: Partial<Role> = {}, how: Parameters<typeof createIamWorld>[0] = {}) {
  const test = createIamWorld(how);
  const bob = test.cloud.createUser({ name: 'Bob', path: '/path/' });
  const credentials = test.sts.issueAccessKey(bob);
  const bound = { name: 'bob', boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/Bob`] };
  await test.putIamRole({ ...bound, ...role });
  return { ...test, bob, sign: () => ({ ...test.sts.signLogin({ credentials }) }) };
}

describe('an explanation of a principal', () => {
  it.each<[string, Partial<Role>]>([
    ['its own role', {}],
    ['a pattern', { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/path/*`] }],
    ['another pattern', { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/other/*`] }],
    ['somebody else', { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/Alice`] }],
    ['the id of one who is gone', { resolveUniqueIds: true, boundIamPrincipalIds: ['AIDAGONE'] }],
    ['instances', { authType: 'ec2' }],
    ['another peer', { token: tokenParameters({ boundCidrs: ['192.168.0.0/16'] }) }],
    ['root', { token: tokenParameters({ policies: ['root'] }) }],
    ['inference', { inferredEntityType: 'ec2_instance', inferredRegion: 'us-east-1' }],
  ])('against a role for %s says what the login then says', async (_name, role) => {
    const test = await world(role);
    const body = test.sign();
    const answer = await explained(test, body);
    const code = await codeOf(test.call('login', { fields: { ...body, role: 'bob' } }));
    expect(failures(answer)[0] ?? 'allowed').toBe(code);
    expect(answer.would_allow).toBe(code === 'allowed');
  });

  it('leaves the request usable where replays are refused', async () => {
    const test = await world({}, { options: { refuseReplays: true } });
    const body = test.sign();
    expect((await explained(test, body)).would_allow).toBe(true);
    expect((await explained(test, body)).would_allow).toBe(true);
    expect(await codeOf(test.call('login', { fields: { ...body, role: 'bob' } }))).toBe('allowed');
  });

  it('says what STS refused', async () => {
    const test = await world();
    const body = { ...test.sign(), iam_request_body: 'AAAA' };
    expect(failures(await explained(test, body))).toEqual([await codeOf(test.call('login', { fields: body }))]);
  });

  it('answers about an ARN and a unique id, without a proof', async () => {
    const test = await world();
    expect(await explained(test, { arn: BOB, unique_id: test.bob.uniqueId })).toMatchObject({ would_allow: true });
    const alice = { arn: `arn:aws:iam::${ACCOUNT}:user/Alice`, unique_id: 'AIDAALICE' };
    expect(failures(await explained(test, alice))).toEqual(['bound_iam_principal_arn_mismatch']);
    expect(test.sts.calls).toEqual([]);
  });

  it('tells whom the role is bound to and who came, by the ids that count', async () => {
    const test = await world({ resolveUniqueIds: true, boundIamPrincipalIds: ['AIDAGONE'] });
    const bound = (answer: Explained) => find(answer, 'bound_iam_principal_arn');
    expect(bound(await explained(test, test.sign()))).toEqual({
      check: 'bound_iam_principal_arn',
      passed: false,
      code: 'bound_iam_principal_arn_mismatch',
      detail: `expected arn:aws:iam::${ACCOUNT}:user/Bob (AIDAGONE); found ${BOB} (${test.bob.uniqueId})`,
    });
    const pattern = `arn:aws:iam::${ACCOUNT}:user/path/*`;
    await test.putIamRole({ name: 'bob', boundIamPrincipalArns: [pattern], resolveUniqueIds: true });
    expect(bound(await explained(test, test.sign()))).toMatchObject({
      passed: true,
      detail: `expected ${pattern}; found ${BOB} (${test.bob.uniqueId})`,
    });
    await test.putIamRole({ name: 'bob', boundIamPrincipalArns: [], inferredEntityType: 'ec2_instance' });
    expect(bound(await explained(test, test.sign()))).toMatchObject({ passed: null });
  });

  it('infers the instance of a session, and holds it against every bound', async () => {
    const test = await world();
    const role = test.cloud.createRole({ name: 'web' });
    const profile = test.cloud.createInstanceProfile({ name: 'web', roleArns: [role.arn] });
    const instance = test.cloud.launchInstance({ imageId: 'ami-1' });
    instance.setInstanceProfile(profile.arn);
    await test.putIamRole({
      name: 'bob',
      boundIamPrincipalArns: [role.arn],
      inferredEntityType: 'ec2_instance',
      inferredRegion: 'us-east-1',
      boundAmiIds: ['ami-2'],
      boundVpcIds: ['vpc-2'],
    });
    const arn = `arn:aws:sts::${ACCOUNT}:assumed-role/web/${instance.instanceId}`;
    const answer = await explained(test, { arn, unique_id: role.uniqueId });
    expect(find(answer, 'inferred_instance')?.detail).toBe(`${instance.instanceId} in us-east-1`);
    expect(failures(answer)).toEqual(['bound_ami_id_mismatch', 'bound_vpc_id_mismatch']);
    expect(test.cloud.calls.filter(({ method }) => method === 'describeInstance')).toHaveLength(1);
  });

  it('reports that principals cannot log in without the callerIdentity port', async () => {
    const test = createTestMethod();
    await test.putRole({ name: 'bob', authType: 'iam' });
    expect(failures(await explained(test, { arn: BOB, unique_id: 'AIDABOB' }))).toContain('auth_type_not_enabled');
  });
});
