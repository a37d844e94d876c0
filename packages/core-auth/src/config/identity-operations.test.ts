/** The identity configuration through the catalogue (ALIAS-2, ALIAS-3, FIELD-7, FIELD-6). */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { createTestMethod, type TestMethod } from '../../test/create-test-method.js';

type Body = Readonly<Record<string, unknown>>;

const write = (test: TestMethod, body: Body) => answerOf(test.host('config.identity.write', {}, body));
const read = async (test: TestMethod) => (await test.host('config.identity.read')).data;

const defaults = {
  iam_alias: 'role_id',
  ec2_alias: 'role_id',
  iam_metadata: ['account_id', 'auth_type'],
  ec2_metadata: ['account_id', 'auth_type'],
};

describe('the identity configuration', () => {
  it.each<[string, readonly Body[], Body]>([
    ['never written', [], {}],
    [
      'both aliases',
      [{ iam_alias: 'full_arn', ec2_alias: 'image_id' }],
      { iam_alias: 'full_arn', ec2_alias: 'image_id' },
    ],
    ['ALIAS-2: canonical_arn', [{ iam_alias: 'canonical_arn' }], { iam_alias: 'canonical_arn' }],
    ['back to the defaults', [{ iam_metadata: ['client_arn'] }, { iam_metadata: 'default' }], {}],
    ['none', [{ ec2_metadata: [] }], { ec2_metadata: [] }],
    ['none, as text', [{ iam_metadata: '' }], { iam_metadata: [] }],
    ['none, as null', [{ iam_metadata: null }], { iam_metadata: [] }],
    ['folded, sorted, once each', [{ ec2_metadata: 'Region,AMI_ID,region' }], { ec2_metadata: ['ami_id', 'region'] }],
    ['default said twice', [{ ec2_metadata: [] }, { ec2_metadata: 'Default,default' }], {}],
    [
      'unsent fields stay',
      [{ iam_alias: 'unique_id' }, { ec2_metadata: 'region' }],
      { iam_alias: 'unique_id', ec2_metadata: ['region'] },
    ],
  ])('%s', async (_name, bodies, after) => {
    const test = createTestMethod();
    for (const body of bodies) expect(await write(test, body)).toBe('204');
    expect(await read(test)).toEqual({ ...defaults, ...after });
  });

  it.each<[string, Body, string]>([
    ['an unknown alias', { iam_alias: 'invalid' }, 'alias_invalid'],
    ['one of two', { iam_alias: 'full_arn', ec2_alias: 'invalid' }, 'alias_invalid'],
    ['an empty alias', { iam_alias: '' }, 'alias_invalid'],
    ['another case', { iam_alias: 'Role_ID' }, 'alias_invalid'],
    ['an alias of the other type', { ec2_alias: 'full_arn' }, 'alias_invalid'],
    ['default with others', { iam_metadata: 'default,client_arn' }, 'metadata_invalid'],
    ['a name of the other type', { ec2_metadata: 'client_arn' }, 'metadata_invalid'],
    ['a name of the prototype', { ec2_metadata: '__proto__' }, 'metadata_invalid'],
    ['a letter of another script', { iam_metadata: 'defau\u017ft' }, 'metadata_invalid'],
    ['FIELD-6: a blank item', { iam_metadata: ' ' }, 'field_invalid'],
    ['a good alias with bad metadata', { iam_alias: 'full_arn', iam_metadata: 'x' }, 'metadata_invalid'],
  ])('is refused and nothing stored: %s', async (_name, body, code) => {
    const test = createTestMethod();
    expect(await write(test, body)).toBe(code);
    expect(await read(test)).toEqual(defaults);
  });

  it.each<[string, Body]>([
    ['defaults of the day', { iam_alias: 'unique_id' }],
    ['the same names, chosen', { iam_metadata: [], ec2_metadata: 'account_id' }],
    ['a choice', { iam_metadata: 'client_arn,account_id', ec2_metadata: '' }],
  ])('that was read can be written again and changes nothing: %s (FIELD-7)', async (_name, body) => {
    const test = createTestMethod();
    await write(test, body);
    const stored = (await test.inside.collections.identityConfig.get('identity'))?.value;
    await write(test, (await read(test)) ?? {});
    expect((await test.inside.collections.identityConfig.get('identity'))?.value).toEqual(stored);
  });

  it('keeps a choice that happens to be the defaults of the day', async () => {
    const test = createTestMethod();
    await write(test, { iam_metadata: [] });
    await write(test, { iam_metadata: 'account_id,auth_type' });
    const stored = (await test.inside.collections.identityConfig.get('identity'))?.value;
    expect(stored?.iamMetadata).toEqual(['account_id', 'auth_type']);
  });

  it('cannot be deleted', () => {
    const { method } = createTestMethod();
    const verbs = method.operations.filter(({ path }) => path === 'config/identity').map(({ verb }) => verb);
    expect(verbs.sort()).toEqual(['read', 'write']);
  });
});
