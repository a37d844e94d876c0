/** What a role tag does to a login (TAG-6, TAG-5, TAG-7). */
import { describe, expect, it } from 'vitest';
import { codeOf, START, tokenParameters } from '../../test/create-test-method.js';
import { signText, TAG_KEY, taggedRole, taggedWorld, tagText } from '../../test/role-tags.js';
import type { Role } from '../roles/role.js';
import type { RoleTag } from './role-tag.js';

const HOUR = 3600;

describe('an instance without a good tag is refused, and nothing is stored', () => {
  it.each<[string, Readonly<Record<string, string>> | Promise<string>, string]>([
    ['no tags (rtl-001)', {}, 'role_tag_missing'],
    ['other tags (rtl-002)', { other: 'x' }, 'role_tag_missing'],
    ['the key in another case (rtl-003)', { [TAG_KEY.toLowerCase()]: 'x' }, 'role_tag_missing'],
    ['an empty value (rtl-004)', { [TAG_KEY]: '' }, 'role_tag_missing'],
    ['no tag (rtl-005)', { [TAG_KEY]: 'garbage' }, 'role_tag_invalid'],
    ['a blank', { [TAG_KEY]: ' ' }, 'role_tag_invalid'],
    ['a tag under another key', tagText({}, 'key-of-q'), 'role_tag_invalid'],
    ['a policy beyond the role (rtl-009)', tagText({ policies: ['z'] }), 'role_tag_policy_not_in_role'],
    ['a policy more', tagText({ policies: ['p', 'q', 'z'] }), 'role_tag_policy_not_in_role'],
    ['root', tagText({ policies: ['root'] }), 'role_tag_policy_not_in_role'],
    ['another instance (rtl-011)', tagText({ instanceId: 'i-2' }), 'role_tag_instance_mismatch'],
    ['a prefix of the instance', tagText({ instanceId: 'i' }), 'role_tag_instance_mismatch'],
    ['another role (rtl-014)', tagText({ role: 'r2' }, 'key-of-r2'), 'role_tag_role_mismatch'],
    ['another role under our key', tagText({ role: 'r2' }), 'role_tag_role_mismatch'],
  ])('%s', async (_name, tags, code) => {
    const { instance, login, loginWith, putRole, entry, tokens } = await taggedWorld();
    await putRole({ name: 'r2', hmacKey: 'key-of-r2', ...taggedRole() });
    if (tags instanceof Promise) {
      expect(await codeOf(loginWith(await tags))).toBe(code);
    } else {
      instance.setTags(tags);
      await expect(login(instance, { nonce: 'N' })).rejects.toMatchObject({ code, kind: 'denied' });
    }
    expect(await entry('i-1')).toBeUndefined();
    expect(await tokens()).toEqual([]);
  });
});

describe('a good tag', () => {
  it.each<[string, Partial<RoleTag>, readonly string[], number, string]>([
    ['that asks for nothing', {}, ['default', 'p', 'q'], HOUR, '0s'],
    ['narrows policies and lifetime', { policies: ['p'], maxTtlSeconds: 300 }, ['default', 'p'], 300, '5m0s'],
    ['with nothing but default (rtl-010, TAG-5)', { policies: ['default'] }, ['default'], HOUR, '0s'],
    ['for this instance (rtl-012)', { instanceId: 'i-1' }, ['default', 'p', 'q'], HOUR, '0s'],
    ['with migration (rtl-013)', { allowInstanceMigration: true }, ['default', 'p', 'q'], HOUR, '0s'],
    ['in the older form (TAG-4)', { roleKey: 'a', policies: ['q'] }, ['default', 'q'], HOUR, '0s'],
    ['never widens the lifetime (rtl-008)', { maxTtlSeconds: 500 * HOUR }, ['default', 'p', 'q'], HOUR, '500h0m0s'],
  ])('%s', async (_name, tag, policies, leaseSeconds, tagMaxTtl) => {
    const { loginWith, inside } = await taggedWorld();
    const auth = await loginWith(await tagText(tag));
    expect(auth.policies).toEqual(policies);
    expect(auth.lease_duration).toBe(leaseSeconds);
    expect(auth.metadata['role_tag_max_ttl']).toBe(tagMaxTtl);
    const stored = (await inside.collections.tokens.get(auth.accessor))?.value;
    expect(stored?.renewal).toMatchObject({ tagMaxTtlSeconds: tag.maxTtlSeconds ?? 0 });
  });

  it.each([
    [0, 48 * HOUR],
    [300, 48 * HOUR],
    [500 * HOUR, 500 * HOUR],
  ])('of %d seconds keeps the access-list entry for %d (rtl-008)', async (maxTtlSeconds, lifetime) => {
    const { loginWith, entry } = await taggedWorld();
    await loginWith(await tagText({ maxTtlSeconds }));
    expect((await entry('i-1'))?.expiresAt).toBe(START + lifetime * 1000);
  });

  it('is met by a login that spells the role in another case (rtl-015, ROLE-2)', async () => {
    const { loginWith } = await taggedWorld();
    expect((await loginWith(await tagText(), { role: 'R' })).metadata['role']).toBe('r');
  });

  it('of a role without the default policy leaves it out, unless it says so itself', async () => {
    const token = tokenParameters({ policies: ['p', 'q'], noDefaultPolicy: true });
    const { loginWith } = await taggedWorld({ token });
    expect((await loginWith(await tagText({ policies: ['p'] }))).policies).toEqual(['p']);
    expect((await loginWith(await tagText({ policies: ['default'] }))).policies).toEqual(['default']);
  });

  it('narrows no role that grants nothing', async () => {
    const { loginWith } = await taggedWorld({ token: tokenParameters({ policies: ['root', 'p'] }) });
    expect(await codeOf(loginWith(await tagText({ policies: ['p'] })))).toBe('policy_not_grantable');
  });

  it('is not looked at by a role without role tags', async () => {
    const { loginWith, events } = await taggedWorld({ roleTagKey: '' });
    expect((await loginWith('garbage')).policies).toEqual(['default', 'p', 'q']);
    expect(events.at(-1)?.details).not.toHaveProperty('role_tag');
  });

  it('stands in the audit by its digest only', async () => {
    const { loginWith, events } = await taggedWorld();
    const text = await tagText();
    await loginWith(text);
    expect(events.at(-1)?.details?.['role_tag']).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(events)).not.toContain(text.slice(-40));
  });
});

describe('reauthentication', () => {
  it.each([
    ['role', true, false],
    ['tag', false, true],
    ['both', true, true],
  ])('is disallowed when the %s says so, for good', async (_name, byRole, byTag) => {
    const { loginWith, entry, putRole } = await taggedWorld({ disallowReauthentication: byRole });
    const { metadata } = await loginWith(await tagText({ disallowReauthentication: byTag }), { nonce: undefined });
    expect(Object.hasOwn(metadata, 'nonce')).toBe(false);
    expect(await entry('i-1')).toMatchObject({ disallowReauthentication: true, clientNonce: '' });
    await putRole(taggedRole());
    expect(await codeOf(loginWith(await tagText()))).toBe('reauthentication_disabled');
  });

  it('that a tag disallows from a later login on ends with that login', async () => {
    const { loginWith } = await taggedWorld();
    await loginWith(await tagText());
    await loginWith(await tagText({ disallowReauthentication: true }));
    expect(await codeOf(loginWith(await tagText()))).toBe('reauthentication_disabled');
  });
});

describe('migration', () => {
  it.each<[boolean, boolean, string]>([
    [true, true, 'allowed'],
    [true, false, 'nonce_mismatch'],
    [false, true, 'nonce_mismatch'],
    [false, false, 'nonce_mismatch'],
  ])('with a role that says %s and a tag that says %s is %s (TAG-7)', async (byRole, byTag, code) => {
    const { loginWith, instance } = await taggedWorld({ allowInstanceMigration: byRole });
    const text = await tagText({ allowInstanceMigration: byTag });
    await loginWith(text);
    instance.stop();
    instance.start();
    expect(await codeOf(loginWith(text, { nonce: 'lost' }))).toBe(code);
  });
});

describe('a role that narrowed since the tag was made wins (TAG-7)', () => {
  const all: Partial<RoleTag> = { policies: ['p', 'q'], maxTtlSeconds: HOUR, allowInstanceMigration: true };

  it.each<[string, Partial<Role>, string]>([
    ['a policy less', { token: tokenParameters({ policies: ['p'] }) }, 'role_tag_policy_not_in_role'],
    ['no policies', { token: tokenParameters() }, 'role_tag_policy_not_in_role'],
    ['another name of the tag', { roleTagKey: 'Other' }, 'role_tag_missing'],
  ])('%s', async (_name, role, code) => {
    const { loginWith, putRole } = await taggedWorld();
    const text = await tagText(all);
    await loginWith(text);
    await putRole(taggedRole(role));
    expect(await codeOf(loginWith(text))).toBe(code);
  });

  it('a shorter lifetime', async () => {
    const { loginWith, putRole } = await taggedWorld();
    await putRole(taggedRole({ token: tokenParameters({ policies: ['p', 'q'], maxTtlSeconds: 60 }) }));
    expect((await loginWith(await tagText(all))).lease_duration).toBe(60);
  });

  it('at a renewal too, and the tag still caps', async () => {
    const token = tokenParameters({ policies: ['p', 'q'], ttlSeconds: 60, maxTtlSeconds: HOUR });
    const { loginWith, call, clock, instance } = await taggedWorld({ token });
    const { client_token } = await loginWith(await tagText({ maxTtlSeconds: 100 }));
    clock.advance(50_000);
    instance.setTags({});
    const renewed = await call('token.renew-self', { token: client_token, fields: { increment: 1000 } });
    expect(renewed.auth?.lease_duration).toBe(50);
  });

  it('deleted and made again, it knows no tag of its former self (THREAT-33)', async () => {
    const { host, loginWith } = await taggedWorld();
    const fields = { auth_type: 'ec2', bound_ami_id: 'ami-1', role_tag: TAG_KEY };
    const make = async () => {
      await host('role.write', { role: 's' }, fields);
      return String((await host('role.tag', { role: 's' })).data?.['tag_value']);
    };
    const first = await make();
    expect((await loginWith(first, { role: 's' })).metadata['role']).toBe('s');
    await host('role.delete', { role: 's' });
    const second = await make();
    expect(await codeOf(loginWith(first, { role: 's' }))).toBe('role_tag_invalid');
    expect(await codeOf(loginWith(second, { role: 's' }))).toBe('allowed');
  });
});

it('reads what another implementation signed', async () => {
  const { loginWith } = await taggedWorld();
  const text = signText('v1:/+/+/+/+/+8=:r=r:d=false:m=false:p=default,p');
  expect((await loginWith(text)).policies).toEqual(['default', 'p']);
});
