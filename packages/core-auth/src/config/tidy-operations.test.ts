/** Tidy settings through the catalogue (TIDY-1, WIRE-8, TIDY-2). */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { createTestMethod } from '../../test/create-test-method.js';
import { createConfigReaders } from './config-readers.js';
import { TIDY_TARGETS } from './records.js';

const MISSING = 'not_found';

describe.each(TIDY_TARGETS)('the tidy settings of %s', (target) => {
  const other = TIDY_TARGETS.find((one) => one !== target) ?? target;

  it('are missing until they are written, 72 h all the same (TIDY-2)', async () => {
    const { host, inside } = createTestMethod();
    expect(await answerOf(host(`config.tidy.${target}.read`))).toBe(MISSING);
    expect(await createConfigReaders(inside.collections).tidy(target)).toEqual({
      safetyBufferSeconds: 259_200,
      disablePeriodicTidy: false,
    });
  });

  it.each([
    ['both', { safety_buffer: '60', disable_periodic_tidy: true }, { safety_buffer: 60, disable_periodic_tidy: true }],
    ['neither', {}, { safety_buffer: 259_200, disable_periodic_tidy: false }],
    ['one', { disable_periodic_tidy: 'true' }, { safety_buffer: 259_200, disable_periodic_tidy: true }],
    ['a null buffer was not sent', { safety_buffer: null }, { safety_buffer: 259_200, disable_periodic_tidy: false }],
  ])('read as numbers and truth, each record by itself: %s', async (_name, body, shown) => {
    const { host } = createTestMethod();
    expect(await answerOf(host(`config.tidy.${target}.write`, {}, body))).toBe('204');
    expect((await host(`config.tidy.${target}.read`)).data).toEqual(shown);
    expect(await answerOf(host(`config.tidy.${other}.read`))).toBe(MISSING);
    await host(`config.tidy.${target}.write`, {}, shown);
    expect((await host(`config.tidy.${target}.read`)).data).toEqual(shown);
  });

  it('change by what is sent only, and are deleted more than once', async () => {
    const { host, inside } = createTestMethod();
    await host(`config.tidy.${target}.write`, {}, { safety_buffer: '1h' });
    await host(`config.tidy.${target}.write`, {}, { disable_periodic_tidy: 1 });
    expect(await createConfigReaders(inside.collections).tidy(target)).toEqual({
      safetyBufferSeconds: 3600,
      disablePeriodicTidy: true,
    });
    expect(await answerOf(host(`config.tidy.${target}.write`, {}, { safety_buffer: -1 }))).toBe('field_invalid');
    for (const _ of [1, 2]) expect(await answerOf(host(`config.tidy.${target}.delete`))).toBe('204');
    expect(await answerOf(host(`config.tidy.${target}.read`))).toBe(MISSING);
  });
});

describe('whether entries of instances that exist are kept', () => {
  it('is a setting of the access list (TIDY-10)', async () => {
    const { host } = createTestMethod();
    const keep = async () =>
      (await host('config.tidy.identity-accesslist.read')).data?.['tidy_keep_existing_instances'];
    await host('config.tidy.identity-accesslist.write', {}, { tidy_keep_existing_instances: false });
    expect(await keep()).toBe(false);
    await host('config.tidy.identity-accesslist.write', {}, { safety_buffer: 5 });
    expect(await keep()).toBe(false);
    await host('config.tidy.identity-accesslist.write', {}, { tidy_keep_existing_instances: 'true' });
    expect(await keep()).toBeUndefined();
  });

  it('is no setting of the deny list', () => {
    const { method } = createTestMethod();
    const names = method.operations
      .filter(
        ({ id, verb }) =>
          id.endsWith('roletag-denylist') || (id.endsWith('roletag-denylist.write') && verb === 'write'),
      )
      .flatMap(({ fields }) => Object.keys(fields.shape));
    expect(names).toContain('safety_buffer');
    expect(names).not.toContain('tidy_keep_existing_instances');
  });
});

describe('the catalogue', () => {
  it('has the deprecated paths of tidying (WIRE-8)', () => {
    const { method } = createTestMethod();
    const aliases = method.operations.filter(({ id }) => id.startsWith('config.tidy.')).map((one) => one.aliases?.[0]);
    expect(aliases).toEqual([
      ...Array(3).fill('config/tidy/identity-whitelist'),
      ...Array(3).fill('config/tidy/roletag-blacklist'),
    ]);
  });

  it('asks for create where there is nothing yet, else for update', async () => {
    const { method, host } = createTestMethod();
    const call = { requestId: '1', peerAddress: undefined };
    const write = method.operations.find(({ id }) => id === 'config.client.write');
    expect(await write?.exists?.({}, call)).toBe(false);
    await host('config.client.write');
    expect(await write?.exists?.({}, call)).toBe(true);
  });
});

describe('the readers', () => {
  it('give defaults where nothing is stored, and what is stored otherwise (CONFIG-6)', async () => {
    const { inside, host } = createTestMethod();
    const readers = createConfigReaders(inside.collections);
    expect(await readers.client()).toMatchObject({ maxRetries: -1, accessKey: '' });
    expect(await readers.identity()).toEqual({ iamAlias: 'role_id', ec2Alias: 'role_id' });
    expect(await readers.stsAssociation('111111111111')).toBeUndefined();
    await host('config.client.write', {}, { access_key: 'AK' });
    await host('config.identity.write', {}, { iam_alias: 'unique_id' });
    await host('config.sts.write', { account_id: '111111111111' }, { sts_role: 'arn:aws:iam::111111111111:role/r' });
    expect(await readers.client()).toMatchObject({ accessKey: 'AK' });
    expect(await readers.identity()).toMatchObject({ iamAlias: 'unique_id' });
    expect(await readers.stsAssociation('111111111111')).toMatchObject({ externalId: '' });
  });
});
