/** The ec2 flow in order (LOGIN-3): evidence, role, facts, bindings, grant; case ids named. */
import { describe, expect, it } from 'vitest';
import { ACCOUNT, codeOf, createTestMethod, START, tokenParameters } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const HOURS_768 = 768 * 3600;

function world(role: Partial<Role> = {}) {
  const test = createTestMethod();
  const instance = test.cloud.launchInstance({
    instanceId: 'i-1',
    imageId: 'ami-1',
    vpcId: 'vpc-1',
    subnetId: 'sub-1',
  });
  return test.putRole({ boundAmiIds: ['ami-1'], ...role }).then(() => ({ ...test, instance }));
}

describe('an ec2 login', () => {
  it('gives a token, remembers the instance and returns the nonce it made', async () => {
    const { instance, login, entry, tokens } = await world();
    const auth = await login(instance);
    expect(auth).toMatchObject({
      policies: ['default'],
      token_policies: ['default'],
      metadata: { role: 'r', role_tag_max_ttl: '0s', account_id: ACCOUNT, auth_type: 'ec2' },
      lease_duration: HOURS_768,
      renewable: true,
      token_type: 'service',
      orphan: true,
      mfa_requirement: null,
      num_uses: 0,
    });
    expect(auth.metadata['nonce']).toMatch(UUID);
    expect(auth.client_token).toMatch(/^pst_[\w-]{43}$/);
    expect(await tokens()).toEqual([auth.accessor]);
    expect(await entry('i-1')).toEqual({
      role: 'r',
      clientNonce: auth.metadata['nonce'],
      disallowReauthentication: false,
      pendingTime: instance.pendingTime,
      createdAt: START,
      updatedAt: START,
      expiresAt: START + HOURS_768 * 1000,
      accountId: '111111111111',
      region: 'us-east-1',
    });
  });

  it('passes with identity and signature', async () => {
    const { instance, call } = await world();
    const { documentBase64, signature } = instance.identityDocument();
    const fields = { identity: documentBase64, signature, role: 'r', nonce: 'N' };
    expect((await call('login', { fields })).auth?.metadata).toEqual({
      role: 'r',
      role_tag_max_ttl: '0s',
      account_id: ACCOUNT,
      auth_type: 'ec2',
    });
  });

  it('takes the role in any casing and names it folded (ROLE-2)', async () => {
    const { instance, login, entry } = await world();
    expect((await login(instance, { role: 'R' })).metadata['role']).toBe('r');
    expect((await entry('i-1'))?.role).toBe('r');
  });

  it('without a role looks for one named after the image', async () => {
    const test = await world();
    expect(await codeOf(test.login(test.instance, { role: '' }))).toBe('role_not_found');
    await test.putRole({ name: 'ami-1', roleId: 'other' });
    expect((await test.login(test.instance, { role: '' })).metadata['role']).toBe('ami-1');
  });

  it.each([['nope'], ['r '], ['\u212A'], ['__proto__'], ['../r'], ['r/tag'], ['x'.repeat(500)]])(
    'refuses the role %j',
    async (role) => {
      const { instance, login, cloud } = await world();
      expect(await codeOf(login(instance, { role }))).toBe('role_not_found');
      expect(cloud.calls).toEqual([]);
    },
  );

  it('refuses a document changed after signing with 400, not 500 (ERROR-2)', async () => {
    const { instance, call, cloud, tokens } = await world();
    const { document, signature } = instance.identityDocument();
    const identity = Buffer.from(document.replace('i-1', 'i-2')).toString('base64');
    expect(await codeOf(call('login', { fields: { identity, signature, role: 'r' } }))).toBe('evidence_unverified');
    expect(cloud.calls).toEqual([]);
    expect(await tokens()).toEqual([]);
  });

  it.each<[string, Partial<Role>, string]>([
    ['another image', { boundAmiIds: ['ami-2'] }, 'bound_ami_id_mismatch'],
    ['another region', { boundRegions: ['eu-west-1'] }, 'bound_region_mismatch'],
    ['another subnet', { boundSubnetIds: ['x'] }, 'bound_subnet_id_mismatch'],
    ['another instance', { boundEc2InstanceIds: ['i-2'] }, 'bound_ec2_instance_id_mismatch'],
    [
      'a role while it has no profile',
      { boundIamRoleArns: ['arn:aws:iam::111111111111:*'] },
      'bound_iam_role_arn_mismatch',
    ],
    ['principals, not instances', { authType: 'iam' }, 'role_auth_type_mismatch'],
    ['root, which no login grants', { token: tokenParameters({ policies: ['Root'] }) }, 'policy_not_grantable'],
  ])('against a role that wants %s is refused and leaves no trace', async (_name, role, code) => {
    const { instance, login, entry, tokens } = await world(role);
    expect(await codeOf(login(instance))).toBe(code);
    expect(await entry('i-1')).toBeUndefined();
    expect(await tokens()).toEqual([]);
  });

  it('asks for the profile only when the role binds its role, and compares the full ARN', async () => {
    const { instance, login, cloud, putRole } = await world();
    const role = cloud.createRole({ name: 'InstRole', path: '/rp/' });
    const profile = cloud.createInstanceProfile({ name: 'Prof', path: '/pp/', roleArns: [role.arn] });
    instance.setInstanceProfile(profile.arn);
    await login(instance, { nonce: 'N' });
    expect(cloud.calls.map(({ method }) => method)).toEqual(['describeInstance']);

    await putRole({ boundIamRoleArns: [role.arn] });
    cloud.clearCalls();
    await login(instance, { nonce: 'N' });
    expect(cloud.calls.map(({ method }) => method)).toEqual(['describeInstance', 'rolesOfProfile']);
    await putRole({ boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:role/InstRole`] });
    expect(await codeOf(login(instance, { nonce: 'N' }))).toBe('bound_iam_role_arn_mismatch');
  });

  it('refuses an instance that does not run, or is not there', async () => {
    const { instance, login } = await world();
    instance.stop();
    expect(await codeOf(login(instance))).toBe('instance_not_running');
    instance.vanish();
    expect(await codeOf(login(instance))).toBe('instance_not_found');
  });

  it('tells the provider how young the instance is, which it may not see yet', async () => {
    const { instance, login, cloud } = await world();
    await login(instance);
    expect(cloud.calls.map(({ query }) => query)).toEqual([
      { accountId: ACCOUNT, region: 'us-east-1', instanceId: 'i-1', launchedAfter: instance.pendingTimeMillis },
    ]);
  });

  it('refuses a peer outside the bounds before any question to the provider', async () => {
    const { instance, login, cloud } = await world({ token: tokenParameters({ boundCidrs: ['192.168.0.0/16'] }) });
    expect(await codeOf(login(instance))).toBe('peer_address_not_allowed');
    expect(await codeOf(login(instance, {}, { peerAddress: undefined }))).toBe('peer_address_not_allowed');
    expect(cloud.calls).toEqual([]);
  });

  it('ties the token to the bounds', async () => {
    const { instance, login, call } = await world({ token: tokenParameters({ boundCidrs: ['10.0.0.0/8'] }) });
    const { client_token: token } = await login(instance);
    expect((await call('token.lookup-self', { token })).data?.['bound_cidrs']).toEqual(['10.0.0.0/8']);
    const elsewhere = call('token.lookup-self', { token, peerAddress: '192.168.0.1' });
    expect(await codeOf(elsewhere)).toBe('permission_denied');
  });

  it('names alias and metadata as configured', async () => {
    const { instance, login, memory, inside } = await world();
    const config = {
      iamAlias: 'role_id',
      ec2Alias: 'instance_id',
      ec2Metadata: ['account_id', 'ami_id', 'instance_id', 'region'],
    } as const;
    await memory.commit([inside.collections.identityConfig.put('identity', config, 'any')]);
    const auth = await login(instance, { nonce: 'N' });
    expect(auth.metadata).toEqual({
      account_id: ACCOUNT,
      ami_id: 'ami-1',
      instance_id: 'i-1',
      region: 'us-east-1',
      role: 'r',
      role_tag_max_ttl: '0s',
    });
    expect((await inside.collections.tokens.get(auth.accessor))?.value.aliasName).toBe('i-1');
  });

  it('refuses an account that is neither its own nor associated, without a call', async () => {
    const { login, cloud } = await world({ boundAmiIds: [], boundAccountIds: ['222222222222'] });
    const foreign = cloud.launchInstance({ accountId: '222222222222' });
    expect(await codeOf(login(foreign))).toBe('account_not_allowed');
    expect(cloud.calls).toEqual([]);
  });

  it.each([
    ['throttles', 'unavailable', 'provider_unavailable'],
    ['refuses our credentials', 'denied', 'provider_denied'],
    ['is not configured', 'misconfigured', 'provider_misconfigured'],
  ] as const)('is neither denied nor admitted when the provider %s', async (_name, failure, code) => {
    const { instance, login, cloud, tokens } = await world();
    cloud.behaviour.describeInstance.fail(failure, { retryAfterSeconds: 7 });
    await expect(login(instance)).rejects.toMatchObject({
      code,
      retryAfterSeconds: failure === 'unavailable' ? 7 : undefined,
    });
    expect(await tokens()).toEqual([]);
  });

  it('refuses a document older than the role allows (LOGIN-9)', async () => {
    const { instance, login, clock } = await world({ maxDocumentAgeSeconds: 300 });
    clock.advance(300_000);
    await login(instance, { nonce: 'N' });
    clock.advance(1000);
    expect(await codeOf(login(instance, { nonce: 'N' }))).toBe('document_too_old');
  });

  it('warns when a maximum cuts the lifetime', async () => {
    const test = createTestMethod({ options: { defaultTtlSeconds: 3600, maxTtlSeconds: 48 * 3600 } });
    const instance = test.cloud.launchInstance();
    await test.putRole({ token: tokenParameters({ ttlSeconds: 60 * 3600, maxTtlSeconds: 100 * 3600 }) });
    const outcome = await test.call('login', { fields: { pkcs7: instance.identityDocument().rsa2048, role: 'r' } });
    expect(outcome.auth?.lease_duration).toBe(48 * 3600);
    expect(outcome.warnings).toHaveLength(1);
  });

  it('gives the same entity to the same alias, another to another role', async () => {
    const { cloud, login, putRole, instance } = await world();
    await putRole({ name: 'q', roleId: 'id-of-q' });
    const first = await login(instance, { nonce: 'N' });
    const again = await login(cloud.launchInstance({ imageId: 'ami-1' }));
    const other = await login(instance, { nonce: 'N', role: 'q' });
    expect(again.entity_id).toBe(first.entity_id);
    expect(other.entity_id).not.toBe(first.entity_id);
  });

  it('uses a role that changes while it decides as it then stands', async () => {
    const test = createTestMethod();
    const instance = test.cloud.launchInstance({ imageId: 'ami-1' });
    await test.putRole();
    test.cloud.behaviour.describeInstance.lag(20);
    const pending = codeOf(test.login(instance));
    await test.putRole({ boundAmiIds: ['ami-2'] });
    expect(await pending).toBe('bound_ami_id_mismatch');
  });
});
