/** An event says which fields a write changed, and tells no text that a caller chose (AUDIT-8). */
import { describe, expect, it } from 'vitest';
import { createTestMethod } from '../../test/create-test-method.js';
import { changedFields } from './changed-fields.js';

describe('changed fields', () => {
  it('of a new record are those that are not empty', () => {
    const after = {
      auth_type: 'ec2',
      bound_ami_id: ['ami-1'],
      token_ttl: 0,
      role_tag: '',
      token_policies: [],
      role_id: 'x',
    };
    expect(changedFields(undefined, after)).toEqual({
      auth_type: { plain: '"ec2"' },
      bound_ami_id: { hashed: '["ami-1"]' },
    });
  });

  it('of an update are those that differ, emptied and dropped ones too', () => {
    const before = { bound_ami_id: ['ami-1'], token_ttl: 5, policies: ['a'], sts_endpoint: 'https://a', same: 'x' };
    const after = { bound_ami_id: [], token_ttl: 6, sts_endpoint: 'https://b', same: 'x' };
    expect(changedFields(before, after, { secret_key: true, other: false })).toEqual({
      bound_ami_id: { plain: '[]' },
      token_ttl: { plain: '6' },
      policies: { plain: 'null' },
      sts_endpoint: { hashed: '"https://b"' },
      secret_key: 'secret',
    });
  });
});

describe('the event of a write', () => {
  it('W5: shows that a role was widened and that an endpoint was changed', async () => {
    const { host, events } = createTestMethod();
    const fields = { auth_type: 'ec2', bound_ami_id: 'ami-1', token_policies: ['web'], token_ttl: '1h' };
    await host('role.write', { role: 'r' }, fields);
    await host('role.write', { role: 'r' }, { token_policies: ['web', 'root-ish'], bound_region: 'us-east-1' });
    await host(
      'config.client.write',
      {},
      { access_key: 'AKIA', secret_key: 'canary', sts_endpoint: 'https://sts.example' },
    );
    await host('config.client.write', {}, { secret_key: 'another' });
    expect(events.map(({ changes }) => changes)).toEqual([
      {
        auth_type: '"ec2"',
        bound_ami_id: expect.stringMatching(/^hmac:[\w-]{43}$/),
        resolve_cloud_unique_ids: 'true',
        token_policies: '["web"]',
        token_ttl: '3600',
        token_type: '"default"',
      },
      { token_policies: expect.stringMatching(/root-ish/), bound_region: '["us-east-1"]' },
      expect.objectContaining({
        access_key: expect.stringMatching(/^hmac:/),
        secret_key: '(secret)',
        sts_endpoint: expect.stringMatching(/^hmac:/),
      }),
      { secret_key: '(secret)' },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/canary|another|AKIA|sts\.example|ami-1/);
  });

  it('W8: tells no token within a longer name', async () => {
    const { method, host, events } = createTestMethod();
    const token = await method.createRootToken();
    await host('role.read', { role: `web-${token}` }).catch(() => undefined);
    const policies = { auth_type: 'ec2', bound_ami_id: 'ami-1', token_policies: [`web-${token}`] };
    await host('role.write', { role: 'r' }, policies).catch(() => undefined);
    expect(events.length).toBe(3);
    expect(JSON.stringify(events).toLowerCase()).not.toContain(token.toLowerCase());
    expect(events[1]?.details).toEqual({ role: 'web-(a token)' });
  });
});
