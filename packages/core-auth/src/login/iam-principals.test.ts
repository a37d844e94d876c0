/** Which principals a role admits, from the signed request on (PRINCIPAL-1, ROLE-9, ROLE-10, PROVIDER-1); case ids named. */
import { describe, expect, it } from 'vitest';
import { createIamWorld, OTHER_ACCOUNT } from '../../test/create-iam-world.js';
import { ACCOUNT, codeOf } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

function world() {
  const test = createIamWorld();
  const role = test.cloud.createRole({ name: 'RoleName', path: '/path/' });
  const session = () => test.sts.assumeRole(role, { sessionName: 'sess' });
  return { ...test, role, session, enter: () => codeOf(test.signIn(session(), 'r')) };
}

describe('a session of RoleName, whose path is /path/', () => {
  const arn = (resource: string) => `arn:aws:iam::${ACCOUNT}:${resource}`;
  it.each<[string, Partial<Role>, string, number]>([
    ['prn-001', { boundIamPrincipalArns: [arn('role/RoleName')] }, 'allowed', 0],
    // Such a role cannot be written any more (ROLE-9); one that was stored matches nothing.
    ['prn-002', { boundIamPrincipalArns: [arn('role/path/RoleName')] }, 'bound_iam_principal_arn_mismatch', 0],
    ['prn-003', { boundIamPrincipalArns: [arn('role/path/*')] }, 'allowed', 1],
    ['prn-004', { boundIamPrincipalArns: [arn('role/other/*')] }, 'bound_iam_principal_arn_mismatch', 1],
    ['prn-005', { boundIamPrincipalArns: [arn('*')] }, 'allowed', 1],
    // The reference lets both in and recommends refusing them: ROLE-10, at write and here.
    ['prn-007', { boundIamPrincipalArns: ['**'] }, 'bound_iam_principal_arn_mismatch', 0],
    ['prn-008', { boundIamPrincipalArns: ['*:role/path/RoleN*'] }, 'bound_iam_principal_arn_mismatch', 0],
    ['exact beside a pattern', { boundIamPrincipalArns: [arn('role/x/*'), arn('role/RoleName')] }, 'allowed', 0],
    ['no bound at all', { boundIamPrincipalArns: [] }, 'bound_iam_principal_arn_mismatch', 0],
  ])('%s', async (_id, changes, code, questions) => {
    const test = world();
    await test.putIamRole(changes);
    expect(await test.enter()).toBe(code);
    expect(test.cloud.calls).toHaveLength(questions);
    await test.enter();
    // A second login asks again only where the first learned nothing.
    expect(test.cloud.calls).toHaveLength(questions);
  });

  it('logs in against the id that its ARN was resolved to, and costs no question (prn-010)', async () => {
    const test = world();
    const fields = { auth_type: 'iam', bound_iam_principal_arn: test.role.arn };
    await test.host('role.write', { role: 'r' }, fields);
    test.cloud.clearCalls();
    expect(await test.enter()).toBe('allowed');
    expect(test.cloud.calls).toEqual([]);
    expect(test.events.at(-1)).toMatchObject({ principal: `arn:aws:sts::${ACCOUNT}:assumed-role/RoleName/sess` });
  });

  it('is shown as role and session', async () => {
    const test = world();
    await test.putIamRole({ boundIamPrincipalArns: [arn('role/RoleName')] });
    const auth = await test.signIn(test.session(), 'r');
    expect((await test.inside.collections.tokens.get(auth.accessor))?.value.displayName).toBe('cloud-RoleName/sess');
  });

  it('is refused where IAM knows no such role (prn-015)', async () => {
    const test = world();
    await test.putIamRole({ boundIamPrincipalArns: [arn('role/path/*')] });
    const credentials = test.session();
    const fields = { ...test.sts.signLogin({ credentials }), role: 'r' };
    // STS is done; the role goes before IAM is asked.
    const { source } = test.sts;
    const send = source.send.bind(source);
    source.send = async (...call) => {
      const answer = await send(...call);
      test.role.delete();
      return answer;
    };
    expect(await codeOf(test.call('login', { fields }))).toBe('principal_not_found');
  });
});

describe('the same role name in another account (CVE-2025-11621, CVE-2025-59048, THREAT-28, THREAT-30)', () => {
  function twoAccounts() {
    const test = createIamWorld();
    const names = { name: 'RoleName', path: '/path/' };
    const [ours, theirs] = [
      test.cloud.createRole(names),
      test.cloud.createRole({ ...names, accountId: OTHER_ACCOUNT }),
    ];
    test.cloud.associateAccount(OTHER_ACCOUNT);
    const enter = (who: typeof ours) => codeOf(test.signIn(test.sts.assumeRole(who, { sessionName: 'sess' }), 'r'));
    return { ...test, ours, theirs, enter };
  }

  const BINDINGS: readonly (readonly [string, Partial<Role>])[] = [
    ['its name', { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/RoleName`] }],
    ['a pattern of its path (prn-014)', { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/path/*`] }],
    ['the whole account', { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:*`] }],
    ['a star in the name', { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/path/Role*`] }],
  ];

  describe.each(BINDINGS)('bound by %s', (_name, changes) => {
    it.each([
      ['ours first', ['ours', 'theirs', 'ours', 'theirs']],
      ['theirs first', ['theirs', 'ours', 'theirs', 'ours']],
    ] as const)('is refused, %s', async (_order, order) => {
      const test = twoAccounts();
      await test.putIamRole(changes);
      for (const who of order) {
        expect(await test.enter(test[who])).toBe(who === 'ours' ? 'allowed' : 'bound_iam_principal_arn_mismatch');
      }
    });

    it('is refused 25 times among 50 in parallel', async () => {
      const test = twoAccounts();
      await test.putIamRole(changes);
      const codes = await Promise.all(
        Array.from({ length: 50 }, (_, at) => test.enter(at % 2 === 0 ? test.ours : test.theirs)),
      );
      expect(codes.filter((_, at) => at % 2 === 0)).toEqual(Array.from({ length: 25 }, () => 'allowed'));
      expect(new Set(codes.filter((_, at) => at % 2 === 1))).toEqual(new Set(['bound_iam_principal_arn_mismatch']));
      expect(await test.tokens()).toHaveLength(25);
    });
  });

  it('is refused where the role is bound to resolved ids', async () => {
    const test = twoAccounts();
    await test.host('role.write', { role: 'r' }, { auth_type: 'iam', bound_iam_principal_arn: test.ours.arn });
    expect([await test.enter(test.theirs), await test.enter(test.ours)]).toEqual([
      'bound_iam_principal_arn_mismatch',
      'allowed',
    ]);
  });

  it('is refused by a directory that mixes accounts up, where both accounts are bound', async () => {
    const test = twoAccounts();
    const mixedUp = createIamWorld({
      beside: test,
      ports: {
        cloud: {
          describePrincipal: async () => ({ arn: test.ours.arn, uniqueId: test.ours.uniqueId }),
        },
      },
    });
    const bounds = [`arn:aws:iam::${ACCOUNT}:role/path/*`, `arn:aws:iam::${OTHER_ACCOUNT}:role/safe/*`];
    await test.putIamRole({ boundIamPrincipalArns: bounds });
    const enter = (who: typeof test.ours) =>
      codeOf(mixedUp.signIn(test.sts.assumeRole(who, { sessionName: 'sess' }), 'r'));
    expect([await enter(test.ours), await enter(test.theirs)]).toEqual(['allowed', 'principal_mismatch']);
  });

  it('once bound, is refused when its association goes, in every process and at once', async () => {
    const test = twoAccounts();
    await test.putIamRole({ boundIamPrincipalArns: [`arn:aws:iam::${OTHER_ACCOUNT}:role/path/*`] });
    const account = { account_id: OTHER_ACCOUNT };
    await test.host('config.sts.write', account, { sts_role: `arn:aws:iam::${OTHER_ACCOUNT}:role/postern` });
    const other = createIamWorld({ beside: test });
    const session = () => test.sts.assumeRole(test.theirs, { sessionName: 'sess' });
    expect(await codeOf(other.signIn(session(), 'r'))).toBe('allowed');
    test.cloud.dissociateAccount(OTHER_ACCOUNT);
    // What that process knows of the full ARN would still do; the configuration it was learned under does not.
    expect(await codeOf(other.signIn(session(), 'r'))).toBe('allowed');
    await test.host('config.sts.delete', account);
    expect(await codeOf(other.signIn(session(), 'r'))).toBe('account_not_allowed');
    expect(other.events.at(-1)).toMatchObject({ outcome: 'denied', code: 'account_not_allowed' });
  });
});

describe('the life of a unique id (PRINCIPAL-2)', () => {
  const ROLE = { role: 'r' };

  it('a re-created principal stays out until the role is posted again', async () => {
    const test = world();
    const fields = { auth_type: 'iam', bound_iam_principal_arn: test.role.arn };
    await test.host('role.write', ROLE, fields);
    expect(await test.enter()).toBe('allowed');
    test.role.recreate();
    expect(await test.enter()).toBe('bound_iam_principal_arn_mismatch');
    // Without the ARNs nothing is asked again.
    await test.host('role.write', ROLE, { token_ttl: 60 });
    expect(await test.enter()).toBe('bound_iam_principal_arn_mismatch');
    await test.host('role.write', ROLE, fields);
    expect(await test.enter()).toBe('allowed');
  });

  it('turned on later it holds from then on, and cannot be turned off', async () => {
    const test = world();
    const arn = `arn:aws:iam::${ACCOUNT}:role/RoleName`;
    const plain = test.cloud.createRole({ name: 'Plain' });
    const enterPlain = () => codeOf(test.signIn(test.sts.assumeRole(plain, { sessionName: 'ss' }), 'r'));
    const off = { auth_type: 'iam', bound_iam_principal_arn: plain.arn, resolve_cloud_unique_ids: false };
    await test.host('role.write', ROLE, off);
    plain.recreate();
    expect(await enterPlain()).toBe('allowed');
    await test.host('role.write', ROLE, { resolve_cloud_unique_ids: true });
    expect(await enterPlain()).toBe('allowed');
    plain.recreate();
    expect(await enterPlain()).toBe('bound_iam_principal_arn_mismatch');
    expect(await codeOf(test.host('role.write', ROLE, { resolve_cloud_unique_ids: false }))).toBe(
      'role_resolve_immutable',
    );
    // The path belongs to the ARN that is resolved.
    expect(await codeOf(test.host('role.write', ROLE, { bound_iam_principal_arn: arn }))).toBe(
      'principal_unresolvable',
    );
  });

  it('cannot be turned on for a principal that is not there', async () => {
    const test = world();
    const gone = `arn:aws:iam::${ACCOUNT}:role/Gone`;
    const off = { auth_type: 'iam', bound_iam_principal_arn: gone, resolve_cloud_unique_ids: false };
    await test.host('role.write', ROLE, off);
    expect(await codeOf(test.host('role.write', ROLE, { resolve_cloud_unique_ids: true }))).toBe(
      'principal_unresolvable',
    );
    expect((await test.host('role.read', ROLE)).data?.['resolve_cloud_unique_ids']).toBe(false);
  });

  it('means nothing to a pattern', async () => {
    const test = world();
    const fields = { auth_type: 'iam', bound_iam_principal_arn: `arn:aws:iam::${ACCOUNT}:role/path/*` };
    await test.host('role.write', ROLE, fields);
    test.role.recreate();
    expect(await test.enter()).toBe('allowed');
  });
});
