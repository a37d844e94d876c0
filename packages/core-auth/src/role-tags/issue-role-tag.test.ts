/** Making role tags (TAG-1, TAG-5). */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { codeOf, createTestMethod, testRole, tokenParameters } from '../../test/create-test-method.js';
import { signText, TAG_KEY, taggedRole } from '../../test/role-tags.js';
import type { Role } from '../roles/role.js';

const NONCE = 'AAECAwQFBgc=';

async function world(role: Partial<Role> = {}) {
  const test = createTestMethod({
    options: { maxTtlSeconds: 48 * 3600 },
    random: { bytes: (length) => Uint8Array.from({ length }, (_, at) => at) },
  });
  await test.putRole({ name: 'dev', ...taggedRole(role) });
  const tag = (fields: Readonly<Record<string, unknown>> = {}, params = { role: 'dev' }) =>
    test.host('role.tag', params, fields);
  return { ...test, tag };
}

describe('making a role tag', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['nothing', {}, 'd=false:m=false'],
    ['policies', { policies: 'Q, p,q' }, 'd=false:m=false:p=p,q'],
    ['policies as an array', { policies: ['q', 'p'] }, 'd=false:m=false:p=p,q'],
    ['default, which is always allowed', { policies: 'default' }, 'd=false:m=false:p=default'],
    ['no policies: "" (TAG-5)', { policies: '' }, 'd=false:m=false:p=default'],
    ['no policies: [] (TAG-5)', { policies: [] }, 'd=false:m=false:p=default'],
    ['no policies: null (TAG-5)', { policies: null }, 'd=false:m=false:p=default'],
    ['a limit and an instance', { max_ttl: '5m', instance_id: 'I-ABC' }, 'd=false:m=false:i=i-abc:t=300'],
    ['one and a half seconds', { max_ttl: '1.5s' }, 'd=false:m=false:t=1'],
    ['empty values', { max_ttl: '', instance_id: null }, 'd=false:m=false'],
    ['a login at a time', { disallow_reauthentication: true }, 'd=true:m=false'],
    ['the greatest lifetime of the role', { max_ttl: 3600 }, 'd=false:m=false:t=3600'],
  ])('with %s', async (_name, fields, rest) => {
    const { tag } = await world();
    const value = signText(`v1:${NONCE}:r=dev:${rest}`);
    expect(await tag(fields)).toEqual({ data: { tag_key: TAG_KEY, tag_value: value } });
  });

  it('with migration where the role allows it', async () => {
    const { tag } = await world({ allowInstanceMigration: true });
    const { data } = await tag({ allow_instance_migration: true });
    expect(data?.['tag_value']).toBe(signText(`v1:${NONCE}:r=dev:d=false:m=true`));
  });

  it('takes the role in any casing (ROLE-2)', async () => {
    const { tag } = await world();
    expect((await tag({}, { role: 'DEV' })).data?.['tag_value']).toContain(':r=dev:');
  });

  it('compares policies as tokens carry them', async () => {
    const { tag } = await world({ token: tokenParameters({ policies: [' Prod', 'q'] }) });
    expect((await tag({ policies: 'Prod' })).data?.['tag_value']).toContain(':p=prod:');
  });

  it.each<[string, Partial<Role>, Readonly<Record<string, unknown>>, string]>([
    ['a role without role_tag', { roleTagKey: '' }, { policies: 'z' }, 'role_tag_not_enabled'],
    ['an empty policy (FIELD-6)', {}, { policies: 'Q, p,q,,' }, 'field_invalid'],
    ['a policy beyond the role (TAG-5)', {}, { policies: 'p,z' }, 'tag_policies_not_subset'],
    ['root', {}, { policies: 'p,root' }, 'tag_policies_not_subset'],
    ['migration beyond the role', {}, { allow_instance_migration: true }, 'tag_migration_not_allowed'],
    [
      'both flags',
      { allowInstanceMigration: true },
      { allow_instance_migration: true, disallow_reauthentication: true },
      'tag_options_exclusive',
    ],
    ["a limit above the role's", {}, { max_ttl: 3601 }, 'tag_max_ttl_exceeds'],
    ["a limit above the mount's", { token: tokenParameters() }, { max_ttl: '49h' }, 'tag_max_ttl_exceeds'],
    [
      "a limit above the mount's though not the role's",
      { token: tokenParameters({ maxTtlSeconds: 100 * 3600 }) },
      { max_ttl: '49h' },
      'tag_max_ttl_exceeds',
    ],
    ['a negative limit', {}, { max_ttl: '-5m' }, 'field_invalid'],
    ['an instance that is none', {}, { instance_id: 'i-1:t=9' }, 'field_invalid'],
    ['an instance with a line break', {}, { instance_id: 'i-1\n' }, 'field_invalid'],
  ])('is refused with %s', async (_name, role, fields, code) => {
    const { tag } = await world(role);
    await expect(tag(fields)).rejects.toMatchObject({ code, kind: 'invalid' });
  });

  it.each([['a:b'], ['p:d=true'], ['a,b'], ['a=b'], ['a\nb'], ['a\u0000'], ['a\u009f'], ['\ud800']])(
    'is refused with the policy %j, also where the role has it (THREAT-33)',
    async (name) => {
      const { tag } = await world({ token: tokenParameters({ policies: [name] }) });
      expect(await codeOf(tag({ policies: [name] }))).toBe('tag_policy_name_invalid');
    },
  );

  it('refuses in the order of TAG-1', async () => {
    const { tag, putRole } = await world();
    const all = { policies: 'z', allow_instance_migration: true, disallow_reauthentication: true, max_ttl: '900h' };
    const order = [await codeOf(tag(all)), await codeOf(tag({ ...all, policies: 'p' }))];
    await putRole({ name: 'dev', ...taggedRole({ allowInstanceMigration: true }) });
    order.push(await codeOf(tag({ ...all, policies: 'p' })));
    order.push(await codeOf(tag({ ...all, policies: 'p', disallow_reauthentication: false })));
    expect(order).toEqual([
      'tag_policies_not_subset',
      'tag_migration_not_allowed',
      'tag_options_exclusive',
      'tag_max_ttl_exceeds',
    ]);
  });

  it('is refused without the role, with 400 and not 404', async () => {
    const { tag } = await world();
    await expect(tag({}, { role: 'none' })).rejects.toMatchObject({ code: 'role_not_found', kind: 'denied' });
  });

  it('is refused where a principal role has no such thing', async () => {
    const { tag } = await world({ authType: 'iam', roleTagKey: '' });
    expect(await codeOf(tag())).toBe('role_tag_not_enabled');
  });

  it.each([
    [176, 'allowed', 255],
    [177, 'tag_too_long', undefined],
  ] as const)('holds a role name of %d letters: %s', async (letters, code, bytes) => {
    const { tag, putRole } = await world();
    const name = 'r'.repeat(letters);
    await putRole({ name, ...taggedRole() });
    const call = tag({}, { role: name });
    expect(await codeOf(call)).toBe(code);
    if (bytes !== undefined) expect((await call).data?.['tag_value']).toHaveLength(bytes);
  });

  it('counts bytes, not characters', async () => {
    const { tag } = await world({ token: tokenParameters({ policies: ['\u20ac'.repeat(60)] }) });
    expect(await codeOf(tag({ policies: '\u20ac'.repeat(60) }))).toBe('tag_too_long');
  });

  it('gives two tags to two questions', async () => {
    const test = createTestMethod();
    await test.putRole(taggedRole());
    const first = await test.host('role.tag', { role: 'r' });
    expect(await test.host('role.tag', { role: 'r' })).not.toEqual(first);
  });

  it('tells the audit which tag, not the tag itself', async () => {
    const { tag, events } = await world();
    const { data } = await tag();
    expect(events.at(-1)).toMatchObject({ operation: 'role.tag', role: 'dev', outcome: 'allowed' });
    expect(events.at(-1)?.details?.['role_tag']).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(events)).not.toContain(String(data?.['tag_value']).slice(-40));
    expect(JSON.stringify([events, data])).not.toContain(testRole().hmacKey);
  });

  it('takes a tag of its own making at the deny list', async () => {
    const { tag, host } = await world({ token: tokenParameters({ policies: ['p', 'grün/x'] }) });
    const { data } = await tag({ policies: ['p', 'grün/x'], instance_id: 'i-1', max_ttl: 60 });
    expect(await answerOf(host('deny-list.write', { role_tag: String(data?.['tag_value']) }))).toBe('204');
  });
});
