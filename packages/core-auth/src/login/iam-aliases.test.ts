/** Whom an iam grant is for (ALIAS-2 to ALIAS-5, THREAT-29): aliases, metadata, entities; case ids named. */
import { describe, expect, it } from 'vitest';
import { createIamWorld, OTHER_ACCOUNT } from '../../test/create-iam-world.js';
import { ACCOUNT } from '../../test/create-test-method.js';
import { IAM_ALIASES, IAM_METADATA } from '../tokens/alias.js';

async function world(identity: Readonly<Record<string, unknown>> = {}) {
  const test = createIamWorld();
  const bob = test.cloud.createUser({ name: 'Bob', path: '/path/' });
  const role = test.cloud.createRole({ name: 'deploy', path: '/ops/' });
  const accounts = [ACCOUNT, OTHER_ACCOUNT].map((account) => `arn:aws:iam::${account}:*`);
  test.cloud.associateAccount(OTHER_ACCOUNT);
  await test.putIamRole({ name: 'all', boundIamPrincipalArns: accounts });
  await test.host('config.identity.write', {}, identity);
  const stored = async (credentials: Parameters<typeof test.signIn>[0]) => {
    const auth = await test.signIn(credentials, 'all');
    const record = (await test.inside.collections.tokens.get(auth.accessor))?.value;
    if (record === undefined) throw new TypeError('a login left no token');
    return { ...record, told: auth.metadata, event: test.events.at(-1)?.details };
  };
  return {
    ...test,
    bob,
    role,
    asBob: () => stored(test.sts.issueAccessKey(bob)),
    asRole: (sessionName = 'build-17') => stored(test.sts.assumeRole(role, { sessionName })),
    stored,
  };
}

describe('the alias of a principal', () => {
  it.each([
    ['role_id', 'id-of-r', 'id-of-r'],
    ['full_arn', `arn:aws:iam::${ACCOUNT}:user/path/Bob`, `arn:aws:sts::${ACCOUNT}:assumed-role/deploy/build-17`],
    ['canonical_arn', `arn:aws:iam::${ACCOUNT}:user/Bob`, `arn:aws:iam::${ACCOUNT}:role/deploy`],
  ])('by %s is %s or %s', async (iam_alias, ofUser, ofRole) => {
    const test = await world({ iam_alias });
    const [user, role] = [await test.asBob(), await test.asRole()];
    expect([user.aliasName, role.aliasName]).toEqual([ofUser, ofRole]);
    expect(role.event).toMatchObject({ alias: ofRole, entity_id: role.entityId });
  });

  it('by unique_id is the id, without the session', async () => {
    const test = await world({ iam_alias: 'unique_id' });
    expect((await test.asBob()).aliasName).toBe(test.bob.uniqueId);
    expect((await test.asRole()).aliasName).toBe(test.role.uniqueId);
  });

  it.each(IAM_ALIASES.map((alias) => [alias]))('by %s is the same entity at every login', async (iam_alias) => {
    const test = await world({ iam_alias });
    expect((await test.asRole()).entityId).toBe((await test.asRole()).entityId);
  });

  it.each([
    ['full_arn', true],
    ['canonical_arn', true],
    ['role_id', true],
    ['unique_id', false],
  ])('by %s survives a re-creation: %s', async (iam_alias, survives) => {
    const test = await world({ iam_alias });
    const before = await test.asRole();
    test.role.recreate();
    expect((await test.asRole()).entityId === before.entityId).toBe(survives);
  });

  it.each([['full_arn'], ['canonical_arn'], ['unique_id']])(
    'by %s tells apart what differs in case, type or account only',
    async (iam_alias) => {
      const test = await world({ iam_alias });
      const users = [
        test.bob,
        test.cloud.createUser({ name: 'bob' }),
        test.cloud.createUser({ name: 'deploy' }),
        test.cloud.createUser({ name: 'Bob', accountId: OTHER_ACCOUNT }),
      ];
      const ids = new Set<string>([(await test.asRole()).entityId]);
      for (const user of users) ids.add((await test.stored(test.sts.issueAccessKey(user))).entityId);
      expect(ids.size).toBe(users.length + 1);
    },
  );
});

describe('the metadata of a principal', () => {
  it('can be all there is; what is empty is left out', async () => {
    const test = await world({ iam_metadata: IAM_METADATA });
    const { aliasMetadata, told } = await test.asBob();
    expect(aliasMetadata).toEqual({
      account_id: ACCOUNT,
      auth_type: 'iam',
      canonical_arn: `arn:aws:iam::${ACCOUNT}:user/Bob`,
      client_arn: `arn:aws:iam::${ACCOUNT}:user/path/Bob`,
      client_user_id: test.bob.uniqueId,
    });
    expect(told).toEqual({ ...aliasMetadata, role_id: 'id-of-r' });
  });

  it('of a role names the session in its ARN only', async () => {
    const test = await world({ iam_metadata: ['client_arn', 'client_user_id'] });
    expect((await test.asRole()).aliasMetadata).toEqual({
      client_arn: `arn:aws:sts::${ACCOUNT}:assumed-role/deploy/build-17`,
      client_user_id: test.role.uniqueId,
    });
  });

  it('can be none but the role on the token', async () => {
    const test = await world({ iam_metadata: '' });
    expect(await test.asBob()).toMatchObject({ aliasMetadata: {}, told: { role_id: 'id-of-r' } });
  });
});
