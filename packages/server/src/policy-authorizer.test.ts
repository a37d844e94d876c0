/** Policies: deny wins, the longest match decides (POLICY-2). */
import type { Capability } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createPolicyAuthorizer, type Policy } from './policy-authorizer.js';

const POLICIES: Record<string, Policy> = {
  reader: { 'auth/cloud/role/*': ['read'], 'auth/cloud/roles': ['list'] },
  writer: { 'auth/cloud/role/+': ['create', 'update'], 'auth/cloud/role/prod': ['read'] },
  careful: { 'auth/cloud/*': ['read'], 'auth/cloud/config/client': ['deny'] },
  tags: { '/auth/cloud/role/+/tag': ['update'], 'auth/cloud/role/d*': ['delete'] },
  none: { 'auth/cloud/role/*': ['deny'] },
  Upper: { '*': ['read'] },
};

describe('a policy authorizer', () => {
  const authorizer = createPolicyAuthorizer(POLICIES);

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
    [['upper'], 'anything/at/all', 'read', true],
  ])('of %j at %s for %s says %s', async (policies, path, capability, expected) => {
    expect(await authorizer.isAllowed({ policies, path, capability })).toBe(expected);
  });

  it('decides a hostile pattern and path in no time', async () => {
    const hostile = createPolicyAuthorizer({ p: { [`${'a+/'.repeat(3000)}*`]: ['read'] } });
    const started = performance.now();
    await hostile.isAllowed({ policies: ['p'], path: 'a/'.repeat(50_000), capability: 'read' });
    expect(performance.now() - started).toBeLessThan(50);
  });
});
