/** What a copy of the key ring is worth (BATCH-4): claims count only within the role as it is stored. */
import { decodeBase64Url, decodeUtf8, encodeBase64Url, encodeHex, encodeUtf8 } from '@postern/kernel';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START, tokenParameters } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';
import { issueBatchToken, openBatchToken } from './batch-token.js';
import { createKeyRing } from './key-ring.js';

const HOUR = 3_600_000;
const NAMES = { name: 'r', roleId: 'id-of-r' };

/** Somebody who read the storage: seals whatever claims with the key ring of the method. */
async function thief(role: Partial<Role['token']> = {}) {
  const authorizer = {
    isAllowed: async ({ policies }: { readonly policies: readonly string[] }) => policies.includes('admin'),
  };
  const test = createTestMethod({ authorizer });
  await test.putRole({ token: tokenParameters({ type: 'batch', policies: ['dev'], ...role }) });
  const seal = async (policies: readonly string[], more: Record<string, unknown> = {}, names = NAMES) => {
    const draft = {
      policies,
      metadata: {},
      displayName: 'cloud',
      aliasName: '',
      aliasMetadata: {},
      entityId: 'e',
      path: 'auth/cloud/login',
      issuedAt: START,
      expiresAt: START + HOUR,
      ttlSeconds: 3600,
      creationTtlSeconds: 3600,
      explicitMaxTtlSeconds: 0,
      periodSeconds: 0,
      numUses: 0,
      boundCidrs: [],
      renewable: false,
      ...more,
    };
    return (await issueBatchToken(test.inside, draft, names)).token;
  };
  return { ...test, seal, opened: (token: string) => openBatchToken(test.inside, token) };
}

describe('claims that were sealed with a stolen key ring', () => {
  it('V2: are not even sealed with root', async () => {
    const { seal } = await thief();
    expect(await codeOf(seal(['dev', 'root']))).toBe('policy_not_grantable');
  });

  it('V2: are rejected with root', async () => {
    const { seal, call, inside, putRole } = await thief();
    // With the thief's own code, which seals what it likes.
    const honest = decodeBase64Url((await seal(['dev'])).slice('pst_b_'.length)) ?? new Uint8Array();
    const header = honest.subarray(0, 12);
    const { id, key } = await createKeyRing(inside).sealingKey(START + HOUR);
    expect(encodeHex(header.subarray(1, 9))).toBe(id);
    const { crypto } = inside.ports;
    const bound = Uint8Array.from([...encodeUtf8('postern-batch-token\0'), ...header]);
    const plaintext = await crypto.open(key, honest.subarray(12, 24), honest.subarray(24), bound);
    const claims = JSON.parse(decodeUtf8(plaintext ?? new Uint8Array()) ?? '');
    const reseal = async (policies: readonly string[]) => {
      const sealed = await crypto.seal(
        key,
        honest.subarray(12, 24),
        encodeUtf8(JSON.stringify({ ...claims, policies })),
        bound,
      );
      return `pst_b_${encodeBase64Url(Uint8Array.from([...honest.subarray(0, 24), ...sealed]))}`;
    };
    expect(await codeOf(call('token.lookup-self', { token: await reseal(['dev']) }))).toBe('allowed');
    const forged = await reseal(['dev', 'root']);
    expect(await codeOf(call('role.list', { token: forged }))).toBe('permission_denied');
    expect(await codeOf(call('token.lookup-self', { token: forged }))).toBe('permission_denied');
    await putRole({ token: tokenParameters({ type: 'batch', policies: ['dev', 'root'] }) });
    expect(await codeOf(call('role.list', { token: forged }))).toBe('permission_denied');
  });

  it('V2: hold no policy that the role does not grant', async () => {
    const { seal, call, opened } = await thief();
    const token = await seal(['admin', 'default', 'dev']);
    expect((await opened(token))?.policies).toEqual(['default', 'dev']);
    expect(await codeOf(call('role.list', { token }))).toBe('permission_denied');
    expect((await call('token.lookup-self', { token })).data).toMatchObject({ policies: ['default', 'dev'] });
  });

  it.each([
    ['of a role that never was', { name: 'other', roleId: 'id-of-r' }],
    ['under another id of the role', { name: 'r', roleId: 'id-of-another' }],
    ['of a name that is none', { name: '../tokens/x', roleId: 'id-of-r' }],
    ['of no name', { name: '', roleId: 'id-of-r' }],
  ])('V2: are rejected %s', async (_what, names) => {
    const { seal, call } = await thief();
    expect(await codeOf(call('token.lookup-self', { token: await seal(['dev'], {}, names) }))).toBe(
      'permission_denied',
    );
  });

  it('V2: are rejected once the role is deleted, or created again', async () => {
    const { seal, call, host } = await thief();
    const token = await seal(['dev']);
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('allowed');
    await host('role.delete', { role: 'r' });
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('permission_denied');
    await host('role.write', { role: 'r' }, { auth_type: 'ec2', bound_ami_id: 'ami-1', token_policies: 'dev' });
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('permission_denied');
  });

  it('V2: live no longer than a login could grant', async () => {
    const { seal, call } = await thief();
    const token = await seal(['dev'], { expiresAt: START + 769 * HOUR });
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('permission_denied');
  });

  it('V2: hold the addresses of the role', async () => {
    const { seal, call } = await thief({ boundCidrs: ['10.0.0.0/8'] });
    const use = async (peerAddress: string, boundCidrs: readonly string[]) =>
      codeOf(call('token.lookup-self', { peerAddress, token: await seal(['dev'], { boundCidrs }) }));
    expect(await use('10.1.2.3', [])).toBe('allowed');
    expect(await use('192.0.2.1', [])).toBe('permission_denied');
    expect(await use('192.0.2.1', ['0.0.0.0/0'])).toBe('permission_denied');
    expect(await use('10.1.2.3', ['10.1.0.0/16'])).toBe('allowed');
    expect(await use('10.2.2.3', ['10.1.0.0/16'])).toBe('permission_denied');
    expect(await use('192.0.2.1', ['192.0.2.0/24'])).toBe('permission_denied');
  });
});

describe('a batch token', () => {
  it('loses what its role no longer grants at its next use', async () => {
    const { seal, call, putRole } = await thief({ policies: ['dev', 'ops'] });
    const token = await seal(['default', 'dev', 'ops']);
    const policies = async () => (await call('token.lookup-self', { token })).data?.['policies'];
    expect(await policies()).toEqual(['default', 'dev', 'ops']);
    await putRole({ token: tokenParameters({ type: 'batch', policies: ['dev'], noDefaultPolicy: true }) });
    expect(await policies()).toEqual(['dev']);
    // A tag of a tagged role may grant `default` on its own.
    await putRole({
      roleTagKey: 'T',
      token: tokenParameters({ type: 'batch', policies: ['dev'], noDefaultPolicy: true }),
    });
    expect(await policies()).toEqual(['default', 'dev']);
  });
});
