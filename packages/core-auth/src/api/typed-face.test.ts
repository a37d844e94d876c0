/** The typed face: what it calls, as whom, and which slips of the pen do not compile. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ACCOUNT, codeOf, createTestMethod } from '../../test/create-test-method.js';
import type { DocumentFields, DocumentProof, VerifiedDocument } from '../evidence/identity-document/document.js';
import type { AuthView } from '../tokens/auth-view.js';

async function world() {
  const test = createTestMethod();
  const { method: auth } = test;
  await auth.roles.write('web', { auth_type: 'ec2', bound_account_id: [ACCOUNT], token_policies: ['web'] });
  const pkcs7 = test.cloud.launchInstance().identityDocument().rsa2048;
  return { ...test, auth, pkcs7 };
}

describe('the face of the host', () => {
  it('writes, reads, lists and deletes', async () => {
    const { auth } = await world();
    const { data } = await auth.roles.read('web');
    expect(data.bound_account_id).toEqual([ACCOUNT]);
    expect((await auth.roles.list()).data.keys).toEqual(['web']);
    await auth.roles.delete('web');
    expect((await auth.roles.list()).data.keys).toEqual([]);
  });

  it('logs in as the instance, not as the host', async () => {
    const { auth, pkcs7, events } = await world();
    const { auth: granted } = await auth.login({ role: 'web', pkcs7 }, { peerAddress: '10.0.0.7', requestId: 'r-1' });
    expect(granted.policies).toEqual(['default', 'web']);
    expect(events.at(-1)).toMatchObject({ operation: 'login', requestId: 'r-1', peerAddress: '10.0.0.7' });
    expect(events.at(-1)?.principal).not.toBe('host');
    expect(events[0]).toMatchObject({ operation: 'role.write', principal: 'host' });
  });

  it('draws a request id where none is given', async () => {
    const { auth, events } = await world();
    await auth.roles.list();
    const [first, second] = events.slice(-2).map(({ requestId }) => requestId);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(second).not.toBe(first);
  });

  it('stops when the caller gives up', async () => {
    const { auth } = await world();
    expect(await codeOf(auth.roles.list({}, { signal: AbortSignal.abort() }))).toBe('aborted');
  });

  it('calls by id, with params by name', async () => {
    const { auth, pkcs7 } = await world();
    const { data } = await auth.call('role.read', { role: 'web' });
    expect(data.token_policies).toEqual(['web']);
    expect((await auth.call('login', {}, { role: 'web', pkcs7 })).auth.renewable).toBe(true);
  });

  it('has a method for every operation but those that ask for a token of the caller', async () => {
    const { auth } = await world();
    const ids = auth.operations.filter(({ access }) => access !== 'token').map(({ id }) => id);
    expect(namesOf(auth).sort()).toEqual(ids.map(placeOf).sort());
  });
});

describe('the face of the holder of a token', () => {
  it('has the rights of the token, and knows the token itself', async () => {
    const { auth, pkcs7 } = await world();
    const { auth: granted } = await auth.login({ role: 'web', pkcs7 });
    const holder = auth.withToken(granted.client_token, { peerAddress: '10.0.0.7' });
    expect((await holder.tokens.lookupSelf()).data.policies).toEqual(['default', 'web']);
    expect((await holder.tokens.renewSelf({ increment: '1h' })).auth.lease_duration).toBe(3600);
    expect(await codeOf(holder.roles.read('web'))).toBe('permission_denied');
    await holder.tokens.revokeSelf();
    expect(await codeOf(holder.tokens.lookupSelf())).toBe('permission_denied');
  });

  it('manages with a root token', async () => {
    const { auth } = await world();
    const root = auth.withToken(await auth.createRootToken());
    await root.config.tidy.roletagDenylist.write({ safety_buffer: '1h' });
    expect((await root.config.tidy.roletagDenylist.read()).data.safety_buffer).toBe(3600);
    await root.sts.write('222222222222', { sts_role: 'arn:aws:iam::222222222222:role/r' });
    expect((await root.sts.list()).data.keys).toEqual(['222222222222']);
  });

  it('has a method for every operation', async () => {
    const { auth } = await world();
    expect(namesOf(auth.withToken('any')).sort()).toEqual(auth.operations.map(({ id }) => placeOf(id)).sort());
  });
});

describe('slips that do not compile', () => {
  it('are rejected at run time too', async () => {
    const { auth, pkcs7 } = await world();
    // @ts-expect-error: there is no such operation
    expect(await codeOf(auth.call('role.wirte', { role: 'web' }))).toBe('not_found');
    // @ts-expect-error: a parameter by another name
    expect(await codeOf(auth.call('role.read', { rol: 'web' }))).toBe('not_found');
    // @ts-expect-error: a parameter left out
    expect(await codeOf(auth.call('role.read', {}))).toBe('not_found');
    // @ts-expect-error: a parameter left out
    expect(await codeOf(auth.roles.read())).toBe('not_found');
    // @ts-expect-error: fields by other names
    expect(await codeOf(auth.login({ rol: 'web', pcks7: pkcs7 }))).toBe('unknown_fields');
    // @ts-expect-error: a number for a text
    expect(await codeOf(auth.login({ role: 42, pkcs7 }))).toBe('role_not_found');
    // @ts-expect-error: a number for a truth
    expect(await codeOf(auth.roles.write('web', { disallow_reauthentication: 7 }))).toBe('field_invalid');
    // @ts-expect-error: an operation that asks for a token of the caller
    expect(await codeOf(auth.call('token.lookup-self', {}))).toBe('permission_denied');
    // @ts-expect-error: the host holds no token
    expect(auth.tokens.lookupSelf).toBeUndefined();
    // @ts-expect-error: a method by another name
    expect(auth.roles.wirte).toBeUndefined();
  });

  it('knows what each operation answers', async () => {
    const { auth, pkcs7 } = await world();
    expectTypeOf((await auth.login({ role: 'web', pkcs7 })).auth).toEqualTypeOf<AuthView>();
    const list = await auth.certificates.list();
    expectTypeOf(list.data.keys).toEqualTypeOf<string[]>();
    expectTypeOf(list.auth).toEqualTypeOf<undefined>();
    const deleted = await auth.roles.delete('web');
    expectTypeOf(deleted.data).toEqualTypeOf<undefined>();
    expectTypeOf<Parameters<typeof auth.config.rotateRoot>['length']>().toEqualTypeOf<0 | 1>();
  });

  it('makes no verified document by hand', () => {
    const at = { accountId: ACCOUNT, instanceId: 'i-1', region: 'us-east-1', imageId: 'ami-1' };
    const fields: DocumentFields = { ...at, pendingTime: '2026-01-01T00:00:00Z' };
    const signed = { method: 'pkcs7', signatureAlgorithm: 'rsa-sha256', signingTime: undefined } as const;
    const proof: DocumentProof = { ...signed, certificate: 'c' };
    // @ts-expect-error: every member is there, and still only verification makes one
    const made: VerifiedDocument = { ...fields, proof };
    expect(made).toEqual({ ...fields, proof });
  });
});

/** Dotted names of all functions that operations are behind. */
function namesOf(face: object, prefix = ''): string[] {
  const others = new Set([
    'call',
    'handle',
    'handleAsHost',
    'withToken',
    'recordRefusal',
    'useToken',
    'createRootToken',
    'permissionsOf',
    'configurePolicies',
  ]);
  const lifecycle = new Set([
    'feedAudit',
    'runPeriodicTidy',
    'settled',
    'close',
    'warnings',
    'operations',
    'mountPath',
  ]);
  return Object.entries(face).flatMap(([name, value]) => {
    if (prefix === '' && (others.has(name) || lifecycle.has(name))) return [];
    return typeof value === 'function' ? [prefix + name] : namesOf(value as object, `${prefix}${name}.`);
  });
}

/** The rule of the face, written another way. */
function placeOf(id: string): string {
  const renamed = id
    .replace(/^role\./, 'roles.')
    .replace(/^token\./, 'tokens.')
    .replace(/^policy\./, 'policies.')
    .replace(/^config\.certificate\./, 'certificates.')
    .replace(/^config\.sts\./, 'sts.');
  return renamed.replace(/-[a-z]/g, (found) => found.slice(1).toUpperCase());
}
