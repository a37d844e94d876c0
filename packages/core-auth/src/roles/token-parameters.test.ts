/** Token parameters of roles and their deprecated twins (ROLE-11, ROLE-12), through the catalogue. */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { createTestMethod } from '../../test/create-test-method.js';

type Body = Readonly<Record<string, unknown>>;

const ec2 = { auth_type: 'ec2', bound_ami_id: 'ami-1' };
const HOUR = 3600;
/** As the cases have it: the mount's maximum is 48 h. */
const options = { maxTtlSeconds: 48 * HOUR };

describe('a write of token parameters', () => {
  it.each<[string, Body, string, Body]>([
    ['root swallows the others', { policies: 'root,a' }, '204', { policies: ['root'], token_policies: ['root'] }],
    [
      'deprecated policies are normalised',
      { policies: ' B,a,A' },
      '204',
      { policies: ['a', 'b'], token_policies: ['a', 'b'] },
    ],
    [
      'token_policies are kept as sent',
      { token_policies: 'B,a, a,Default' },
      '204',
      { token_policies: ['B', 'a', 'a', 'Default'], policies: undefined },
    ],
    ['both', { policies: 'x', token_policies: 'y' }, '204', { policies: ['y'], token_policies: ['y'] }],
    ['both', { ttl: '10m', token_ttl: '5m' }, '204', { ttl: 300, token_ttl: 300 }],
    [
      'policies',
      { policies: 'p,q,r,s', max_ttl: '2h' },
      '204',
      { policies: ['p', 'q', 'r', 's'], max_ttl: 7200, token_max_ttl: 7200 },
    ],
    ['above the maximum of the mount', { max_ttl: '100h' }, '200', { token_max_ttl: 100 * HOUR, max_ttl: 100 * HOUR }],
    ['at the maximum of the mount', { token_max_ttl: '48h' }, '204', { token_max_ttl: 48 * HOUR, max_ttl: undefined }],
    ['a period at the maximum', { token_period: '48h' }, '204', { token_period: 48 * HOUR, period: undefined }],
    ['an empty type', { token_type: '' }, '204', { token_type: 'default' }],
    ['service', { token_type: 'service' }, '204', { token_type: 'service' }],
    ['batch', { token_type: 'batch' }, '204', { token_type: 'batch' }],
    [
      'blocks and addresses',
      { token_bound_cidrs: '10.0.0.0/8,127.0.0.1' },
      '204',
      { token_bound_cidrs: ['10.0.0.0/8', '127.0.0.1'] },
    ],
    ['host bits are kept', { token_bound_cidrs: ['10.1.2.3/8'] }, '204', { token_bound_cidrs: ['10.1.2.3/8'] }],
    ['IPv6', { token_bound_cidrs: '2001:db8::/32' }, '204', { token_bound_cidrs: ['2001:db8::/32'] }],
    [
      'uses',
      { token_num_uses: '3', token_no_default_policy: 1 },
      '204',
      { token_num_uses: 3, token_no_default_policy: true },
    ],
    ['a maximum alone', { token_max_ttl: 60 }, '204', { token_max_ttl: 60, token_ttl: 0 }],
    ['a lifetime at its maximum', { token_ttl: 60, token_max_ttl: 60 }, '204', { token_ttl: 60 }],
    ['an explicit maximum', { token_explicit_max_ttl: '2d' }, '204', { token_explicit_max_ttl: 172_800 }],
    ['a null duration was not sent', { token_ttl: null, ttl: null }, '204', { token_ttl: 0, ttl: undefined }],
  ])('%s', async (_name, body, answer, read) => {
    const { host } = createTestMethod({ options });
    expect(await answerOf(host('role.write', { role: 't' }, { ...ec2, ...body }))).toBe(answer);
    const { data = {} } = await host('role.read', { role: 't' });
    for (const [field, value] of Object.entries(read)) expect([field, data[field]]).toEqual([field, value]);
  });

  it.each<[string, Body, string]>([
    ['an empty policy (FIELD-6)', { token_policies: 'B,a, a,Default,' }, 'field_invalid'],
    ['lifetime above its maximum', { token_ttl: '10m', token_max_ttl: '5m' }, 'token_ttl'],
    ['by the deprecated names', { ttl: '10m', max_ttl: '5m' }, 'token_ttl'],
    ['by one name each', { ttl: '10m', token_max_ttl: '5m' }, 'token_ttl'],
    ['batch counts no uses', { token_type: 'batch', token_num_uses: 1 }, 'token_num_uses'],
    ['batch has no period', { token_type: 'batch', token_period: '1h' }, 'token_period'],
    ['by the deprecated name, which slips past elsewhere', { token_type: 'batch', period: '1h' }, 'token_period'],
    ['the type is case-sensitive', { token_type: 'Batch' }, 'token_type'],
    ['default-service', { token_type: 'default-service' }, 'token_type'],
    ['a period above the maximum of the mount', { token_period: '49h' }, 'token_period'],
    ['negative uses', { token_num_uses: -1 }, 'token_num_uses'],
    ['a path for a block', { token_bound_cidrs: '/var/run/socket' }, 'token_bound_cidrs'],
    ['junk for a block', { token_bound_cidrs: '10.0.0.0/33' }, 'token_bound_cidrs'],
    ['a zone in a block', { token_bound_cidrs: 'fe80::1%eth0/64' }, 'token_bound_cidrs'],
  ])('is refused: %s', async (_name, body, field) => {
    const { host } = createTestMethod({ options });
    const write = host('role.write', { role: 't' }, { ...ec2, ...body });
    const expected =
      field === 'field_invalid' ? { code: field } : { code: 'role_token_parameters_invalid', details: { field } };
    await expect(write).rejects.toMatchObject(expected);
    expect(await answerOf(host('role.read', { role: 't' }))).toBe('not_found');
  });
});

/** Sent after a role with both set to 60 s; `undefined`: not shown. */
describe('the deprecated twin', () => {
  it.each<[string, Body, number, number | undefined]>([
    ['alone sets both', { ttl: 30 }, 30, 30],
    ['is cleared by the new name alone', { token_ttl: 30 }, 30, undefined],
    ['follows the new name where both are sent', { ttl: 20, token_ttl: 30 }, 30, 30],
    ['is left alone where neither is sent', { token_num_uses: 1 }, 60, 60],
    ['alone and zero clears both', { ttl: 0 }, 0, undefined],
    ['and the new name as zero clear both', { ttl: 5, token_ttl: 0 }, 0, undefined],
  ])('%s', async (_name, body, tokenTtl, ttl) => {
    const { host } = createTestMethod({ options });
    await host('role.write', { role: 't' }, { ...ec2, ttl: 60 });
    await host('role.write', { role: 't' }, body);
    const { data = {} } = await host('role.read', { role: 't' });
    expect([data['token_ttl'], data['ttl']]).toEqual([tokenTtl, ttl]);
  });

  it('of a batch role is checked when the type changes later', async () => {
    const { host } = createTestMethod({ options });
    await host('role.write', { role: 't' }, { ...ec2, period: '1h' });
    expect(await answerOf(host('role.write', { role: 't' }, { token_type: 'batch' }))).toBe(
      'role_token_parameters_invalid',
    );
  });
});
