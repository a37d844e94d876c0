import { createHash } from 'node:crypto';
import type { Digest } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { DEFAULT_IDENTITY_CONFIG, describeEc2Grant, type Ec2GrantFacts, entityIdOf } from './alias.js';

const digest: Digest = {
  digest: (algorithm, data) => new Uint8Array(createHash(algorithm).update(data).digest()),
};

const facts = (changes: Partial<Ec2GrantFacts> = {}): Ec2GrantFacts => ({
  config: DEFAULT_IDENTITY_CONFIG,
  document: { instanceId: 'i-1', imageId: 'ami-1', accountId: '111111111111', region: 'us-east-1' },
  role: { name: 'r', roleId: 'id-of-r' },
  tagMaxTtlSeconds: 0,
  ...changes,
});

describe('the grant of an ec2 login', () => {
  it('carries account and auth type by default', () => {
    expect(describeEc2Grant(facts())).toEqual({
      aliasName: 'id-of-r',
      aliasMetadata: { account_id: '111111111111', auth_type: 'ec2' },
      tokenMetadata: {
        account_id: '111111111111',
        auth_type: 'ec2',
        role: 'r',
        role_tag_max_ttl: '0s',
      },
    });
  });

  it('carries what was selected and nothing else', () => {
    const config = {
      ...DEFAULT_IDENTITY_CONFIG,
      ec2Alias: 'instance_id',
      ec2Metadata: ['account_id', 'ami_id', 'instance_id', 'region'],
    } as const;
    const selected = { account_id: '111111111111', ami_id: 'ami-1', instance_id: 'i-1', region: 'us-east-1' };
    expect(describeEc2Grant(facts({ config }))).toEqual({
      aliasName: 'i-1',
      aliasMetadata: selected,
      tokenMetadata: { ...selected, role: 'r', role_tag_max_ttl: '0s' },
    });
  });

  it('carries no metadata when none is selected', () => {
    const config = { ...DEFAULT_IDENTITY_CONFIG, ec2Alias: 'image_id', ec2Metadata: [] } as const;
    expect(describeEc2Grant(facts({ config, tagMaxTtlSeconds: 300 }))).toEqual({
      aliasName: 'ami-1',
      aliasMetadata: {},
      tokenMetadata: { role: 'r', role_tag_max_ttl: '5m0s' },
    });
  });
});

describe('the entity behind an alias', () => {
  it('is the same on every login', async () => {
    const once = await entityIdOf(digest, 'auth/cloud', 'i-1');
    expect(await entityIdOf(digest, 'auth/cloud', 'i-1')).toBe(once);
    expect(once).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it.each([
    ['auth/cloud', 'I-1'],
    ['auth/cloud', 'i-1 '],
    ['auth/clou', 'di-1'],
    ['auth/other', 'i-1'],
  ])('differs for %s and %s', async (mount, name) => {
    expect(await entityIdOf(digest, mount, name)).not.toBe(await entityIdOf(digest, 'auth/cloud', 'i-1'));
  });
});
