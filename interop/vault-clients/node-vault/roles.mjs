/** Roles of both types: written, read, listed, deleted. */
import { deepStrictEqual } from 'node:assert/strict';
import { did, empty, expectMembers, missing, refused } from './checks.mjs';

const ROLE = 'auth/aws/role';
const ROLES = 'auth/aws/roles';

export async function writeRoles(vault, { image, user, session }) {
  await missing(() => vault.list(ROLES));
  const web = {
    auth_type: 'ec2',
    bound_ami_id: [image],
    bound_region: ['us-east-1', 'eu-west-1'],
    token_policies: ['metrics', 'web'],
    token_ttl: 60,
    token_max_ttl: 240,
  };
  await empty(vault.write(`${ROLE}/Web`, web));
  const tagged = { auth_type: 'ec2', bound_account_id: '111122223333', role_tag: 'VaultRole', policies: 'web,metrics' };
  await empty(vault.write(`${ROLE}/tagged`, tagged));
  const people = {
    auth_type: 'iam',
    bound_iam_principal_arn: [user.arn, session.arn],
    resolve_aws_unique_ids: false,
    token_policies: ['deploy'],
  };
  await refused(400, { code: 'role_resolve_immutable' }, async () => {
    // A role that resolves keeps to it: true to false is unsupported (ROLE-8).
    await vault.write(`${ROLE}/strict`, { ...people, resolve_aws_unique_ids: true });
    await vault.write(`${ROLE}/strict`, people);
  });
  await empty(vault.delete(`${ROLE}/strict`));
  await empty(vault.write(`${ROLE}/people`, { ...people, resolve_aws_unique_ids: true }));
  // `LIST /role` is an alias (WIRE-8).
  for (const list of [ROLES, ROLE])
    deepStrictEqual((await vault.list(list)).data, { keys: ['people', 'tagged', 'web'] });
  expectMembers((await vault.read(`${ROLE}/WEB`)).data, web);
  expectMembers((await vault.read(`${ROLE}/people`)).data, { ...people, resolve_aws_unique_ids: true });
  await refused(400, { code: 'role_constraint_missing' }, () => vault.write(`${ROLE}/open`, { auth_type: 'ec2' }));
  did('wrote roles, read, listed and deleted them');
}

export async function removeRoles(vault) {
  for (const role of (await vault.list(ROLES)).data.keys) await empty(vault.delete(`${ROLE}/${role}`));
  await missing(() => vault.list(ROLES));
  did('deleted the roles again');
}
