/** The access list as operators see it (ACCESS-2, ACCESS-1). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START } from '../../test/create-test-method.js';

const params = { instance_id: 'i-1' };

describe('the access list', () => {
  it('lists nothing at first (acl-001)', async () => {
    expect(await createTestMethod().host('access-list.list')).toEqual({ data: { keys: [] } });
  });

  it('shows an entry with its seven members (acl-002)', async () => {
    const { host, putEntry } = createTestMethod();
    await putEntry('i-1', { expiresAt: START + 1500 });
    expect(await host('access-list.read', params)).toEqual({
      data: {
        role: 'r',
        client_nonce: 'N',
        creation_time: '2026-11-21T09:00:00.000Z',
        disallow_reauthentication: false,
        expiration_time: '2026-11-21T09:00:01.500Z',
        last_updated_time: '2026-11-21T09:00:00.000Z',
        pending_time: '2020-01-01T00:00:00Z',
      },
    });
  });

  it('shows an expired entry until tidy removes it', async () => {
    const { host, putEntry } = createTestMethod();
    await putEntry('i-1', { expiresAt: START - 1 });
    expect((await host('access-list.list')).data).toEqual({ keys: ['i-1'] });
    expect((await host('access-list.read', params)).data).toBeDefined();
  });

  it('does not show what is not there', async () => {
    expect(await codeOf(createTestMethod().host('access-list.read', params))).toBe('not_found');
  });

  it('deletes, also what is not there (acl-003)', async () => {
    const { host, putEntry, entry } = createTestMethod();
    await putEntry('i-1');
    expect(await host('access-list.delete', params)).toEqual({});
    expect(await host('access-list.delete', params)).toEqual({});
    expect(await entry('i-1')).toBeUndefined();
  });

  it('has the deprecated paths as aliases (WIRE-8)', () => {
    const { operations } = createTestMethod().method;
    const aliases = operations.filter(({ id }) => id.startsWith('access-list.')).map((each) => each.aliases);
    expect(aliases).toEqual([
      ['identity-whitelist/:instance_id'],
      ['identity-whitelist'],
      ['identity-whitelist/:instance_id'],
    ]);
  });
});
