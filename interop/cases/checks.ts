/** The checks of cases that can be read by a program: what a read gives back afterwards, what the answer holds. */
import { expect } from 'vitest';
import type { BlackBoxCase } from './case-file.js';
import type { CaseWorld } from './case-world.js';

type Check = (world: CaseWorld, answer: Record<string, unknown>) => Promise<void>;

async function read(world: CaseWorld, path: string): Promise<Record<string, unknown>> {
  return ((await world.send('GET', path)).json['data'] ?? {}) as Record<string, unknown>;
}

function metadata(answer: Record<string, unknown>): Record<string, string> {
  return (answer['auth'] as { metadata: Record<string, string> }).metadata;
}

const entry = (world: CaseWorld) => read(world, 'identity-accesslist/i-1');

/** By case id, in the words of its `check`. */
const CHECKS: Readonly<Record<string, Check>> = {
  'non-001': async (world, answer) => {
    expect(metadata(answer)).not.toHaveProperty('nonce');
    expect(await entry(world)).toMatchObject({ client_nonce: 'N' });
  },
  'non-003': async (world) => {
    expect(await entry(world)).toMatchObject({ client_nonce: '', disallow_reauthentication: true });
  },
  'non-008': async (world) => {
    expect(await entry(world)).toMatchObject({ pending_time: '2021-01-01T00:00:00Z', client_nonce: 'N' });
  },
  // NONCE-7 instead of "stored nonce stays N": after a migration the stored nonce is the one presented.
  'non-012': async (world) => {
    expect(await entry(world)).toMatchObject({ pending_time: '2022-01-01T00:00:00Z', client_nonce: 'zzz' });
  },
  'non-018': async (world) => {
    expect(await entry(world)).toMatchObject({ client_nonce: '', disallow_reauthentication: true });
  },
  'non-020': async (world) => {
    expect((await world.send('GET', 'identity-accesslist/i-1')).status).toBe(404);
  },
  'non-026': async (world) => {
    expect(await entry(world)).toMatchObject({ role: 'r0' });
  },
  'ec2-001': async (world, answer) => {
    const given = metadata(answer);
    expect(given).toEqual({
      role: 'r',
      role_tag_max_ttl: '0s',
      account_id: '111111111111',
      auth_type: 'ec2',
      nonce: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    });
    expect(await entry(world)).toMatchObject({ client_nonce: given['nonce'] });
  },
  'ec2-034': async (world) => expect(world.describeCalls).toEqual([]),
  'ec2-036': async (_world, answer) => {
    expect(Object.keys(metadata(answer)).sort()).toEqual([
      'account_id',
      'ami_id',
      'instance_id',
      'region',
      'role',
      'role_tag_max_ttl',
    ]);
  },
  'ec2-040': async (world) => expect(world.describeCalls).toEqual([]),
  'ec2-041': async (world) => expect(world.describeCalls).toEqual([]),
  'rol-009': async (world) => {
    expect(await read(world, 'role/ami-abcd123')).toMatchObject({ policies: ['p', 'q', 'r', 's'] });
  },
  'rol-011': async (world) => {
    expect(await read(world, 'role/r')).toMatchObject({
      allow_instance_migration: true,
      disallow_reauthentication: false,
    });
  },
  'rol-050': async (_world, answer) => {
    expect(answer['data']).toMatchObject({ bound_ec2_instance_id: [] });
  },
  'cli-002': async (world) => {
    const config = await read(world, 'config/client');
    expect(config).toMatchObject({ max_retries: -1, use_sts_region_from_client: false, access_key: '', endpoint: '' });
    expect(config).not.toHaveProperty('secret_key');
  },
  'cli-003': async (world) => {
    expect(await read(world, 'config/client')).toMatchObject({
      sts_endpoint: 'https://my-sts.example.com',
      sts_region: 'us-east-2',
      iam_server_id_header_value: 'id1',
    });
  },
  'cli-004': async (world) => {
    expect(await read(world, 'config/client')).toMatchObject({
      sts_endpoint: 'https://b.example',
      sts_region: 'us-west-1',
      iam_server_id_header_value: 'id2',
    });
  },
  'cli-008': async (world) => {
    expect(await read(world, 'config/client')).toMatchObject({ allowed_sts_header_values: ['X-Amz-Foo', 'X-Bar'] });
  },
  'cli-009': async (world) => {
    expect(await read(world, 'config/client')).toMatchObject({ allowed_sts_header_values: [] });
  },
  'cli-012': async (world) => expect((await world.send('GET', 'config/client')).status).toBe(404),
  'idn-001': async (_world, answer) => {
    expect(answer['data']).toEqual({
      iam_alias: 'role_id',
      ec2_alias: 'role_id',
      iam_metadata: ['account_id', 'auth_type'],
      ec2_metadata: ['account_id', 'auth_type'],
    });
  },
  'idn-003': async (world) => expect(await read(world, 'config/identity')).toMatchObject({ iam_alias: 'role_id' }),
  'idn-004': async (world) => {
    expect(await read(world, 'config/identity')).toMatchObject({ iam_alias: 'full_arn', ec2_alias: 'image_id' });
  },
  'idn-009': async (world) => {
    expect(await read(world, 'config/identity')).toMatchObject({ iam_metadata: ['account_id', 'auth_type'] });
  },
  'idn-013': async (world) => expect(await read(world, 'config/identity')).toMatchObject({ ec2_metadata: [] }),
  'idn-014': async (world) => expect(await read(world, 'config/identity')).toMatchObject({ iam_metadata: [] }),
  'sts-003': async (world) => {
    expect(await read(world, 'config/sts/account1')).toMatchObject({ sts_role: 'arn:aws:iam:account1:role/myRole' });
  },
  'sts-006': async (_world, answer) => expect(answer['data']).toEqual({ keys: ['account1', 'account2'] }),
  'crt-003': async (world) => {
    expect(await read(world, 'config/certificate/cert1')).toEqual({
      cloud_public_cert: world.certificatePem,
      type: 'pkcs7',
    });
  },
  'http-001': async (_world, answer) => expect(answer).toMatchObject({ errors: [] }),
  'http-015': async (world) => {
    expect((await world.send('GET', 'role/zz')).status).toBe(200);
    expect((await world.send('GET', 'role/yy')).status).toBe(404);
  },
  'tok-002': async (world) => expect(await read(world, 'role/t')).toMatchObject({ policies: ['root'] }),
  'tok-004': async (world) => {
    expect(await read(world, 'role/t')).toMatchObject({ policies: ['y'], token_policies: ['y'] });
  },
  'tok-005': async (world) => expect(await read(world, 'role/t')).toMatchObject({ ttl: 300, token_ttl: 300 }),
  'tok-008': async (_world, answer) => expect(answer['warnings']).toHaveLength(1),
  'tok-015': async (world) => expect(await read(world, 'role/t')).toMatchObject({ token_type: 'default' }),
  'tok-017': async (world) => {
    expect(await read(world, 'role/t')).toMatchObject({ token_bound_cidrs: ['10.0.0.0/8', '127.0.0.1'] });
  },
  'tok-019': async (world) => expect(await read(world, 'role/t')).toMatchObject({ token_bound_cidrs: ['10.1.2.3/8'] }),
  'acl-002': async (_world, answer) => {
    expect(Object.keys(answer['data'] as object).sort()).toEqual([
      'client_nonce',
      'creation_time',
      'disallow_reauthentication',
      'expiration_time',
      'last_updated_time',
      'pending_time',
      'role',
    ]);
  },
};

/** Also understands `read back NAME=JSON` and `read back true|false`. */
export async function checkAfter(world: CaseWorld, item: BlackBoxCase, answer: Record<string, unknown>): Promise<void> {
  await CHECKS[item.id]?.(world, answer);
  const path = item.request.path ?? '';
  const named = /^read back (\w+)=(.+)$/.exec(item.expect.check);
  if (named !== null) {
    expect(await read(world, path)).toMatchObject({ [named[1] ?? '']: JSON.parse(named[2] ?? '') });
  }
  const flag = /^read back (true|false)$/.exec(item.expect.check);
  if (flag !== null) expect(await read(world, path)).toMatchObject({ allow_instance_migration: flag[1] === 'true' });
}
