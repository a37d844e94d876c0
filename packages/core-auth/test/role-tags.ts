/** Role tags for tests: made by hand under any key, also those that no operator could have issued. */
import { createHmac } from 'node:crypto';
import { createNodeCrypto } from '@postern/crypto-node';
import type { FakeInstance } from '@postern/testkit';
import type { RoleTag } from '../src/role-tags/role-tag.js';
import { signRoleTag } from '../src/role-tags/sign-role-tag.js';
import type { Role } from '../src/roles/role.js';
import { createTestMethod, type TestMethod, type TestMethodOptions, tokenParameters } from './create-test-method.js';

export const TAG_KEY = 'RoleTag';
/** The key of `testRole`. */
export const KEY_OF_R = 'key-of-r';

export const nodeCrypto = createNodeCrypto();

/** A plain tag of the role `r`. */
export function plainTag(changes: Partial<RoleTag> = {}): RoleTag {
  return {
    roleKey: 'r',
    nonce: Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7]),
    role: 'r',
    disallowReauthentication: false,
    allowInstanceMigration: false,
    policies: [],
    instanceId: '',
    maxTtlSeconds: 0,
    ...changes,
  };
}

export function tagText(changes: Partial<RoleTag> = {}, key = KEY_OF_R): Promise<string> {
  return signRoleTag(nodeCrypto, key, plainTag(changes));
}

/** Puts a right MAC behind any text, by another implementation than ours. */
export function signText(signed: string, key = KEY_OF_R): string {
  return `${signed}:${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`;
}

export interface TaggedWorld extends TestMethod {
  readonly instance: FakeInstance;
  /** Logs `i-1` in while it carries this text as its role tag. */
  readonly loginWith: (text: string, fields?: Readonly<Record<string, unknown>>) => ReturnType<TestMethod['login']>;
}

/** One instance `i-1` and a role `r` with role tags, policies p and q and a maximum of 1h, on a mount of 48h. */
export async function taggedWorld(role: Partial<Role> = {}, how: TestMethodOptions = {}): Promise<TaggedWorld> {
  const test = createTestMethod({ options: { maxTtlSeconds: 48 * 3600 }, ...how });
  const instance = test.cloud.launchInstance({ instanceId: 'i-1', imageId: 'ami-1' });
  await test.putRole(taggedRole(role));
  return {
    ...test,
    instance,
    loginWith: (text, fields = {}) => {
      instance.setTags({ [TAG_KEY]: text });
      return test.login(instance, { nonce: 'N', ...fields });
    },
  };
}

export function taggedRole(changes: Partial<Role> = {}): Partial<Role> {
  return {
    roleTagKey: TAG_KEY,
    boundAmiIds: ['ami-1'],
    token: tokenParameters({ policies: ['p', 'q'], maxTtlSeconds: 3600 }),
    ...changes,
  };
}
