/** Policies: deny wins, the longest match decides (POLICY-2); a list is covered by what lies below it (POLICY-7, V9). */
import type { Capability } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { compilePolicy, decidePolicies, type Policy } from './policy.js';

const POLICIES: Record<string, Policy> = {
  reader: { 'auth/cloud/role/*': ['read'], 'auth/cloud/roles': ['list'] },
  writer: { 'auth/cloud/role/+': ['create', 'update'], 'auth/cloud/role/prod': ['read'] },
  careful: { 'auth/cloud/*': ['read'], 'auth/cloud/config/client': ['deny'] },
  tags: { 'auth/cloud/role/+/tag': ['update'], 'auth/cloud/role/d*': ['delete'] },
  none: { 'auth/cloud/role/*': ['deny'] },
  all: { '*': ['read'] },
  lists: {
    'auth/cloud/*': ['list'],
    'auth/cloud/identity-accesslist/*': ['deny'],
    'auth/cloud/roletag-denylist': ['deny'],
  },
  exact: { 'auth/cloud/identity-accesslist': ['list'] },
  slash: { 'auth/cloud/identity-accesslist/': ['list'] },
};

const isAllowed = (names: readonly string[], path: string, capability: Capability): boolean =>
  decidePolicies(
    names.map((name) => compilePolicy(POLICIES[name] ?? {})),
    path,
    capability,
  );

describe('policies', () => {
  it.each<[readonly string[], string, Capability, boolean]>([
    [['reader'], 'auth/cloud/role/dev', 'read', true],
    [['reader'], 'auth/cloud/role/dev', 'update', false],
    [['reader'], 'auth/cloud/roles', 'list', true],
    [['reader'], 'auth/cloud/roles/x', 'list', false],
    [['reader'], 'auth/cloud/config/client', 'read', false],
    [[], 'auth/cloud/role/dev', 'read', false],
    [['missing'], 'auth/cloud/role/dev', 'read', false],
    [['writer'], 'auth/cloud/role/dev', 'update', true],
    [['writer'], 'auth/cloud/role/dev/tag', 'update', false],
    [['writer'], 'auth/cloud/role/', 'update', false],
    [['writer'], 'auth/cloud/role/prod', 'update', false],
    [['writer'], 'auth/cloud/role/prod', 'read', true],
    [['careful'], 'auth/cloud/config/client', 'read', false],
    [['careful'], 'auth/cloud/config/identity', 'read', true],
    [['careful'], 'auth/cloud', 'read', false],
    [['tags'], 'auth/cloud/role/dev/tag', 'update', true],
    [['tags'], 'auth/cloud/role/dev', 'delete', true],
    [['tags'], 'auth/cloud/role/xdev', 'delete', false],
    [['reader', 'none'], 'auth/cloud/role/dev', 'read', false],
    [['reader', 'writer'], 'auth/cloud/role/prod', 'update', false],
    [['all'], 'anything/at/all', 'read', true],
    [['lists'], 'auth/cloud/roles', 'list', true],
    [['lists'], 'auth/cloud/identity-accesslist', 'list', false],
    [['lists'], 'auth/cloud/roletag-denylist', 'list', false],
    [['lists', 'exact'], 'auth/cloud/identity-accesslist', 'list', true],
    [['slash'], 'auth/cloud/identity-accesslist', 'list', true],
    [['slash'], 'auth/cloud/identity-accesslist', 'read', false],
  ])('of %j at %s for %s say %s', (policies, path, capability, expected) => {
    expect(isAllowed(policies, path, capability)).toBe(expected);
  });

  it('decide a hostile pattern and path in no time', () => {
    const hostile = compilePolicy({ [`${'a+/'.repeat(3000)}*`]: ['read'] });
    const started = performance.now();
    decidePolicies([hostile], 'a/'.repeat(50_000), 'read');
    expect(performance.now() - started).toBeLessThan(50);
  });
});
