/** Renewal of tokens of principals (RENEW-3, RENEW-1); case ids named. */
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createIamWorld } from '../../test/create-iam-world.js';
import { ACCOUNT, codeOf, DAY, START, tokenParameters } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

const HOUR = 3_600_000;
const ROLE_PATH = { role: 'r' };

async function world(changes: Partial<Role> = {}) {
  const test = createIamWorld();
  const role = test.cloud.createRole({ name: 'deploy', path: '/ops/' });
  await test.putIamRole({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/deploy`], ...changes });
  const enter = (sessionName = 'sess') => test.signIn(test.sts.assumeRole(role, { sessionName }), 'r');
  const renew = async (token: string, increment?: number) => {
    const fields = increment === undefined ? {} : { increment };
    return (await test.call('token.renew-self', { token, fields })).auth;
  };
  return { ...test, role, enter, renew };
}

/** Logs in against a role written through the catalogue, so that ids are resolved. */
async function resolved() {
  const test = await world();
  const fields = { auth_type: 'iam', bound_iam_principal_arn: test.role.arn };
  await test.host('role.delete', ROLE_PATH);
  await test.host('role.write', ROLE_PATH, fields);
  const { client_token: token } = await test.enter();
  return { ...test, fields, token };
}

describe('a token of a principal', () => {
  it('renews without asking STS, for as long as its role says', async () => {
    const test = await resolved();
    test.sts.clearCalls();
    test.cloud.clearCalls();
    test.clock.advance(HOUR);
    const auth = await test.renew(test.token, 60);
    expect(auth).toMatchObject({ lease_duration: 60, renewable: true, policies: ['default'] });
    expect([...test.sts.calls, ...test.cloud.calls]).toEqual([]);
    expect(test.events.at(-1)).toMatchObject({
      operation: 'token.renew-self',
      outcome: 'allowed',
      authType: 'iam',
      role: 'r',
    });
  });

  it('follows the lifetimes of its role, and never its policies', async () => {
    const test = await world({ token: tokenParameters({ policies: ['reader'] }) });
    const { client_token: token } = await test.enter();
    const parameters = tokenParameters({ policies: ['reader', 'writer'], ttlSeconds: 600 });
    const stored = await test.inside.collections.roles.get('r');
    await test.putIamRole({ ...stored?.value, token: parameters });
    expect(await test.renew(token)).toMatchObject({ lease_duration: 600, policies: ['default', 'reader'] });
    await test.putIamRole({ ...stored?.value, token: tokenParameters({ policies: ['writer'] }) });
    expect(await codeOf(test.renew(token))).toBe('role_narrowed');
    expect(await codeOf(test.renew(token))).toBe('permission_denied');
  });

  it('is not lengthened beyond the explicit maximum of its day', async () => {
    const test = await world({ token: tokenParameters({ explicitMaxTtlSeconds: 7200 }) });
    const { client_token: token, accessor } = await test.enter();
    await test.putIamRole({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/deploy`] });
    test.clock.advance(HOUR);
    expect(await test.renew(token, 999_999)).toMatchObject({ lease_duration: 3600 });
    expect((await test.inside.collections.tokens.get(accessor))?.value.expiresAt).toBe(START + 2 * HOUR);
  });

  it('no longer renews when its role was posted again and the id differs', async () => {
    const test = await resolved();
    test.role.recreate();
    expect(await codeOf(test.renew(test.token))).toBe('allowed');
    await test.host('role.write', ROLE_PATH, test.fields);
    expect(await codeOf(test.renew(test.token))).toBe('role_narrowed');
  });

  it('renews by a pattern, from what is known of the full ARN', async () => {
    const test = await world({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/ops/*`] });
    const { client_token: token } = await test.enter();
    expect(await codeOf(test.renew(token))).toBe('allowed');
    expect(test.cloud.calls).toHaveLength(1);
  });

  it('renews by a pattern in a process that has to ask first', async () => {
    const test = await world({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/ops/*`] });
    const { client_token: token } = await test.enter();
    const other = createIamWorld({ beside: test });
    expect(await codeOf(other.call('token.renew-self', { token }))).toBe('allowed');
    expect(test.cloud.calls).toHaveLength(2);
  });

  it('no longer renews by a pattern that was narrowed', async () => {
    const test = await world({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/*`] });
    const { client_token: token } = await test.enter();
    await test.putIamRole({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/dev/*`] });
    expect(await codeOf(test.renew(token))).toBe('role_narrowed');
  });

  it('of a re-created principal no longer renews by a pattern, once it has to be looked up', async () => {
    const test = await world({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/*`] });
    const { client_token: token } = await test.enter();
    test.role.recreate();
    const other = createIamWorld({ beside: test });
    expect(await codeOf(other.call('token.renew-self', { token }))).toBe('principal_mismatch');
  });

  it('W11: of a deleted principal does not renew for ever, on an exact bound', async () => {
    const test = await world({ token: tokenParameters({ periodSeconds: 7200 }) });
    const { client_token: token } = await test.enter();
    test.clock.advance(HOUR);
    expect(await codeOf(test.renew(token))).toBe('allowed');
    test.role.delete();
    test.clock.advance(1);
    expect(await codeOf(test.renew(token))).toBe('principal_not_found');
  });

  it('of a user renews by the path that it had at login', async () => {
    const test = await world();
    const user = test.cloud.createUser({ name: 'Bob', path: '/path/' });
    await test.putIamRole({ boundIamPrincipalArns: [user.arn] });
    const { client_token: token } = await test.signIn(test.sts.issueAccessKey(user), 'r');
    expect(await codeOf(test.renew(token))).toBe('allowed');
    await test.putIamRole({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/other/Bob`] });
    expect(await codeOf(test.renew(token))).toBe('role_narrowed');
  });

  it('renews with whatever metadata it shows', async () => {
    const test = await world();
    await test.host('config.identity.write', {}, { iam_metadata: '' });
    const { client_token: token, metadata } = await test.enter();
    expect(metadata).toEqual({ role_id: 'id-of-r' });
    expect(await codeOf(test.renew(token))).toBe('allowed');
  });

  it('does not outlive its role', async () => {
    const test = await world();
    const { client_token: token } = await test.enter();
    await test.host('role.delete', ROLE_PATH);
    expect(await codeOf(test.renew(token))).toBe('role_not_found');
    await test.putIamRole({ roleId: 'another', boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/deploy`] });
    expect(await codeOf(test.renew(token))).toBe('role_not_found');
  });

  it('is not renewed once it was revoked or ran out', async () => {
    const test = await world();
    const { client_token: token, accessor } = await test.enter();
    const flow = test.enter('other');
    await test.host('token.revoke-accessor', {}, { accessor });
    expect(await codeOf(test.renew(token))).toBe('permission_denied');
    const { client_token: second } = await flow;
    test.clock.advance(40 * DAY);
    expect(await codeOf(test.renew(second))).toBe('permission_denied');
  });

  it('does not renew by a pattern while the provider cannot be asked', async () => {
    const test = await world({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/*`] });
    const { client_token: token } = await test.enter();
    const other = createIamWorld({ beside: test });
    test.cloud.behaviour.describePrincipal.throttle({ times: 1 });
    expect(await codeOf(other.call('token.renew-self', { token }))).toBe('provider_unavailable');
    expect(await codeOf(other.call('token.renew-self', { token }))).toBe('allowed');
  });

  it.each(Array.from({ length: 6 }, (_, seed) => [seed + 1]))(
    'revoked while it renews stays revoked (seed %d)',
    async (seed) => {
      const test = await world();
      const { client_token: token, accessor } = await test.enter();
      const slow = createIamWorld({
        beside: test,
        storage: (inner) => createFaultStorage(inner, { seed, maxYields: 4, commits: { conflict: 0.2 } }),
      });
      await Promise.all([
        codeOf(slow.call('token.renew-self', { token })),
        test.host('token.revoke-accessor', {}, { accessor }),
      ]);
      expect(await test.tokens()).toEqual([]);
    },
  );
});

describe('inference at renewal', () => {
  const INFERS: Partial<Role> = {
    inferredEntityType: 'ec2_instance',
    inferredRegion: 'us-east-1',
    boundAmiIds: ['ami-1'],
  };

  async function inferred() {
    const test = await world({ ...INFERS, boundIamPrincipalArns: [] });
    const profile = test.cloud.createInstanceProfile({ name: 'Prof', roleArns: [test.role.arn] });
    const instance = test.cloud.launchInstance({
      instanceId: 'i-1',
      imageId: 'ami-1',
      instanceProfileArn: profile.arn,
    });
    const { client_token: token } = await test.enter('i-1');
    test.cloud.clearCalls();
    return { ...test, instance, token };
  }

  it('is not there for tokens of before it was turned on', async () => {
    const test = await world();
    const { client_token: token } = await test.enter('i-1');
    await test.putIamRole({ ...INFERS });
    expect(await codeOf(test.renew(token))).toBe('token_not_renewable');
    expect(test.cloud.calls).toEqual([]);
  });

  it('asks once about the instance and its profile', async () => {
    const test = await inferred();
    expect(await codeOf(test.renew(test.token))).toBe('allowed');
    expect(test.cloud.calls).toMatchObject([
      { method: 'describeInstance', query: { accountId: ACCOUNT, region: 'us-east-1', instanceId: 'i-1' } },
      { method: 'rolesOfProfile' },
    ]);
  });

  it('fails for an instance that stopped or is gone', async () => {
    const test = await inferred();
    test.instance.stop();
    expect(await codeOf(test.renew(test.token))).toBe('instance_not_running');
    test.instance.vanish();
    test.clock.advance(10_000);
    expect(await codeOf(test.renew(test.token))).toBe('instance_not_found');
  });

  it('fails where the role looks in another region now', async () => {
    const test = await inferred();
    await test.putIamRole({ ...INFERS, inferredRegion: 'eu-west-1' });
    expect(await codeOf(test.renew(test.token))).toBe('token_not_renewable');
  });

  it('does not matter any more once it was turned off', async () => {
    const test = await inferred();
    test.instance.stop();
    await test.putIamRole({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/deploy`] });
    expect(await codeOf(test.renew(test.token))).toBe('allowed');
    expect(test.cloud.calls).toEqual([]);
  });

  it('W1: ends the token where the instance no longer meets the bounds', async () => {
    const test = await inferred();
    await test.putIamRole({ ...INFERS, boundAmiIds: ['ami-2'] });
    expect(await codeOf(test.renew(test.token))).toBe('role_narrowed');
    expect(await test.tokens()).toEqual([]);
  });

  it('fails where the profile holds another role now', async () => {
    const test = await inferred();
    const other = test.cloud.createRole({ name: 'other' });
    const profile = test.cloud.createInstanceProfile({ name: 'Other', roleArns: [other.arn] });
    test.instance.setInstanceProfile(profile.arn);
    expect(await codeOf(test.renew(test.token))).toBe('inferred_profile_mismatch');
  });

  it('waits for a provider that cannot be asked', async () => {
    const test = await inferred();
    test.cloud.behaviour.describeInstance.throttle({ times: 1 });
    expect(await codeOf(test.renew(test.token))).toBe('provider_unavailable');
    test.clock.advance(10_000);
    expect(await codeOf(test.renew(test.token))).toBe('allowed');
  });
});
