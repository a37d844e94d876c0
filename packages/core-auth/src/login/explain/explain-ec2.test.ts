/** An explanation and the login that follows agree, whatever stands in the way; and it changes nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  codeOf,
  createTestMethod,
  DAY,
  START,
  type TestMethod,
  tokenParameters,
} from '../../../test/create-test-method.js';
import { tagText } from '../../../test/role-tags.js';
import type { AccessListEntry } from '../../access-list/entry.js';
import type { Role } from '../../roles/role.js';
import type { CheckResult as Check } from '../role-checks.js';

interface Explained {
  readonly would_allow: boolean;
  readonly checks: readonly Check[];
}

const params = { role: 'r' };

async function explained(test: TestMethod, fields: Readonly<Record<string, unknown>>): Promise<Explained> {
  const { data } = await test.host('role.explain', params, { peer_address: '10.0.0.1', ...fields });
  return data as unknown as Explained;
}

const failures = ({ checks }: Explained) => checks.filter(({ passed }) => passed === false);
const find = ({ checks }: Explained, name: string) => checks.find(({ check }) => check === name);

async function launched(role: Partial<Role> = {}) {
  const test = createTestMethod();
  const instance = test.cloud.launchInstance({
    instanceId: 'i-1',
    imageId: 'ami-1',
    vpcId: 'vpc-1',
    subnetId: 'sub-1',
  });
  await test.putRole({ boundAmiIds: ['ami-1'], ...role });
  return { ...test, test, instance, pkcs7: instance.identityDocument().rsa2048 };
}

const BENDS: Readonly<Record<string, Partial<Role>>> = {
  nothing: {},
  image: { boundAmiIds: ['ami-2'] },
  account: { boundAccountIds: ['222222222222'] },
  region: { boundRegions: ['eu-west-1'] },
  network: { boundVpcIds: ['vpc-2'] },
  subnet: { boundSubnetIds: ['sub-2'] },
  'own subnet': { boundSubnetIds: ['sub-1'] },
  id: { boundEc2InstanceIds: ['i-2'] },
  profile: { boundIamInstanceProfileArns: [`arn:aws:iam::${ACCOUNT}:instance-profile/p`] },
  'role of the profile': { boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:role/x`] },
  'other type': { authType: 'iam' },
  peer: { token: tokenParameters({ boundCidrs: ['192.168.0.0/16'] }) },
  root: { token: tokenParameters({ policies: ['root'] }) },
  age: { maxDocumentAgeSeconds: 60 },
  tag: { roleTagKey: 'postern' },
  migration: { allowInstanceMigration: true },
  once: { disallowReauthentication: true },
};

const ENTRIES: Readonly<Record<string, Partial<AccessListEntry> | undefined>> = {
  none: undefined,
  known: {},
  disallowed: { disallowReauthentication: true, clientNonce: '' },
  newer: { pendingTime: '2099-01-01T00:00:00Z' },
  unreadable: { pendingTime: 'yesterday' },
  expired: { expiresAt: START - DAY },
};

const world = fc.record({
  bends: fc.uniqueArray(fc.constantFrom(...Object.keys(BENDS)), { minLength: 0, maxLength: 2 }),
  entry: fc.constantFrom(...Object.keys(ENTRIES)),
  nonce: fc.constantFrom(undefined, '', 'N', 'other', 'n'.repeat(129)),
  state: fc.constantFrom('running', 'running', 'stopped', 'gone'),
  forged: fc.constantFrom(false, false, false, true),
  profile: fc.constantFrom('none', 'empty', 'full'),
  tag: fc.constantFrom('none', 'valid', 'rubbish', 'barred', 'of another instance', 'beyond the role'),
  later: fc.constantFrom(0, 120_000),
});

async function tagOf(kind: string): Promise<string | undefined> {
  switch (kind) {
    case 'none':
      return undefined;
    case 'rubbish':
      return 'v1:rubbish';
    case 'of another instance':
      return tagText({ instanceId: 'i-9' });
    case 'beyond the role':
      return tagText({ policies: ['extra'] });
    default:
      return tagText();
  }
}

describe('an explanation', () => {
  it('says what the login then says, with the code of the first check that fails', async () => {
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(world, async (w) => {
        const role = Object.assign({}, ...w.bends.map((name) => BENDS[name])) as Partial<Role>;
        const { test, instance, pkcs7 } = await launched(role);
        const { cloud } = test;
        if (w.profile !== 'none') {
          const made = cloud.createRole({ name: 'x' });
          const roleArns = w.profile === 'full' ? [made.arn] : [];
          instance.setInstanceProfile(cloud.createInstanceProfile({ name: 'p', roleArns }).arn);
        }
        const tag = await tagOf(w.tag);
        if (tag !== undefined) instance.setTags({ postern: tag });
        if (w.tag === 'barred') await test.host('deny-list.write', { role_tag: tag ?? '' });
        const entry = ENTRIES[w.entry];
        if (entry !== undefined) await test.putEntry('i-1', entry);
        if (w.state === 'stopped') instance.stop();
        if (w.state === 'gone') instance.vanish();
        test.clock.advance(w.later);
        const body = {
          pkcs7: w.forged ? pkcs7.replace(/[A-Z]/, (letter) => (letter === 'A' ? 'B' : 'A')) : pkcs7,
          ...(w.nonce === undefined ? {} : { nonce: w.nonce }),
        };
        const before = [await test.entry('i-1'), await test.tokens()];
        cloud.clearCalls();
        const answer = await explained(test, body);
        expect(cloud.calls.filter(({ method }) => method === 'describeInstance').length).toBeLessThan(2);
        expect([await test.entry('i-1'), await test.tokens()]).toEqual(before);
        const code = await codeOf(test.call('login', { fields: { ...body, role: 'r' } }));
        expect(failures(answer)[0]?.code ?? 'allowed').toBe(code);
        expect(answer.would_allow).toBe(code === 'allowed');
        outcomes.set(String(code), (outcomes.get(String(code)) ?? 0) + 1);
      }),
      { numRuns: 160, seed: 20261121 },
    );
    // The worlds are worth nothing where they all end alike.
    expect(outcomes.size).toBeGreaterThan(15);
    expect(outcomes.get('allowed')).toBeGreaterThan(5);
  }, 120_000);

  it('names every check, passed or not asked for, of a login that would succeed', async () => {
    const { test, pkcs7 } = await launched({
      token: tokenParameters({ ttlSeconds: 3600, policies: ['Dev'], numUses: 3 }),
    });
    const answer = await explained(test, { pkcs7 });
    expect(answer.would_allow).toBe(true);
    expect(Object.fromEntries(answer.checks.map(({ check, passed }) => [check, passed]))).toEqual({
      evidence: true,
      role: true,
      peer_address: true,
      auth_type: true,
      instance: true,
      instance_account: true,
      instance_region: true,
      instance_running: true,
      instance_profile: null,
      bound_region: null,
      bound_ec2_instance_id: null,
      bound_account_id: true,
      bound_ami_id: true,
      bound_subnet_id: null,
      bound_vpc_id: null,
      bound_iam_instance_profile_arn: null,
      bound_iam_role_arn: null,
      role_tag: null,
      role_tag_instance: null,
      deny_list: null,
      role_tag_policies: null,
      document_age: null,
      reauthentication: true,
      policies: true,
      lifetime: true,
    });
    expect(find(answer, 'policies')?.detail).toBe('default, dev');
    expect(find(answer, 'lifetime')?.detail).toBe('ttl 1h0m0s, 3 uses');
  });

  it('goes on after a failure, with what was expected and what was found', async () => {
    const { test, instance, pkcs7 } = await launched({ boundAmiIds: ['ami-8', 'ami-9'], boundVpcIds: ['vpc-9'] });
    instance.stop();
    const answer = await explained(test, { pkcs7 });
    expect(failures(answer).map(({ check, code }) => [check, code])).toEqual([
      ['instance_running', 'instance_not_running'],
      ['bound_ami_id', 'bound_ami_id_mismatch'],
      ['bound_vpc_id', 'bound_vpc_id_mismatch'],
    ]);
    expect(find(answer, 'bound_ami_id')?.detail).toBe('expected ami-8 or ami-9; found ami-1');
  });

  it('answers about facts, without a proof', async () => {
    const { test } = await launched();
    const facts = { instance_id: 'i-1', account_id: ACCOUNT, region: 'us-east-1' };
    expect(await explained(test, facts)).toMatchObject({ would_allow: true });
    expect(find(await explained(test, facts), 'evidence')?.passed).toBeNull();
    expect(failures(await explained(test, { ...facts, region: 'eu-west-1' }))[0]?.code).toBe('instance_not_found');
    await test.putRole({ maxDocumentAgeSeconds: 60 });
    await test.putEntry('i-1');
    const untold = await explained(test, facts);
    expect([find(untold, 'document_age')?.passed, find(untold, 'reauthentication')?.passed]).toEqual([null, null]);
    const told = await explained(test, { ...facts, pending_time: '2026-11-01T00:00:00Z', nonce: 'N' });
    expect(failures(told).map(({ code }) => code)).toEqual(['document_too_old']);
    expect(failures(await explained(test, { ...facts, pending_time: 'soon' }))[0]?.code).toBe('pending_time_invalid');
  });

  it('never shows a nonce, and says why a proof did not verify', async () => {
    const { test, pkcs7 } = await launched();
    await test.putEntry('i-1', { clientNonce: 'stored-nonce' });
    const answer = await explained(test, { pkcs7, nonce: 'presented-nonce' });
    expect(failures(answer).map(({ code }) => code)).toEqual(['nonce_mismatch']);
    expect(JSON.stringify(answer)).not.toMatch(/stored-nonce|presented-nonce/);
    const forged = failures(await explained(test, { pkcs7: 'AAAA' }))[0];
    expect(forged).toMatchObject({
      check: 'evidence',
      code: 'evidence_unverified',
      detail: expect.stringMatching(/^\w+$/),
    });
  });

  it('tells of a role that is not there, and of a provider that refuses', async () => {
    const { test, pkcs7, instance } = await launched({ boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:role/x`] });
    const { data } = await test.host('role.explain', { role: 'nobody' }, { pkcs7 });
    expect(failures(data as unknown as Explained)).toMatchObject([{ check: 'role', code: 'role_not_found' }]);
    instance.setInstanceProfile(`arn:aws:iam::${ACCOUNT}:instance-profile/gone`);
    expect(find(await explained(test, { pkcs7 }), 'instance_profile')?.detail).toBe('there is none');
    test.cloud.behaviour.rolesOfProfile.deny({ times: 1 });
    expect(failures(await explained(test, { pkcs7 }))[0]).toMatchObject({
      check: 'instance_profile',
      code: 'provider_denied',
    });
    test.cloud.behaviour.describeInstance.throttle({ times: 1 });
    expect(await codeOf(explained(test, { pkcs7 }))).toBe('provider_unavailable');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['nothing', {}, 'login_fields_missing'],
    ['an instance and a principal', { instance_id: 'i-1', arn: 'arn:aws:iam::1:user/x' }, 'login_fields_ambiguous'],
    ['an instance of no account', { instance_id: 'i-1' }, 'field_missing'],
    ['a principal without its id', { arn: 'arn:aws:iam::1:user/x' }, 'field_missing'],
    ['an ARN of nobody', { arn: 'x', unique_id: 'y' }, 'field_invalid'],
  ])('refuses a question about %s', async (_name, fields, code) => {
    const { test } = await launched();
    expect(await codeOf(explained(test, fields))).toBe(code);
  });

  it('is only for those who may update below the role', async () => {
    const { test, login, instance, pkcs7 } = await launched();
    const { client_token: token } = await login(instance);
    expect(await codeOf(test.call('role.explain', { params, fields: { pkcs7 } }))).toBe('permission_denied');
    expect(await codeOf(test.call('role.explain', { params, fields: { pkcs7 }, token }))).toBe('permission_denied');
  });
});
