/** Names on the wire, and where the token comes from (WIRE-2, WIRE-5). */
import { AuthError } from '@postern/core-auth';
import { describe, expect, it } from 'vitest';
import { harness, type Sent } from '../../test/fake-method.js';

const ROLE = '/v1/auth/cloud/role/dev';

describe('the token', () => {
  it.each<['neutral' | 'vault', Record<string, string>, string | undefined]>([
    ['neutral', { 'X-Service-Token': 'a' }, 'a'],
    ['neutral', { 'X-Vault-Token': 'a' }, undefined],
    ['vault', { 'X-Vault-Token': 'a' }, 'a'],
    ['vault', { 'X-Service-Token': 'a' }, undefined],
    ['neutral', { Authorization: 'Bearer a' }, 'a'],
    ['vault', { Authorization: 'bearer a' }, 'a'],
    ['neutral', { Authorization: 'Bearer b', 'X-Service-Token': 'a' }, 'a'],
    ['neutral', { Authorization: 'Bearer b', 'X-Service-Token': '' }, 'b'],
    ['neutral', { Authorization: 'Basic YTpi' }, undefined],
    ['neutral', { Authorization: 'Bearer a b' }, undefined],
    ['vault', { 'X-Vault-Token': 'a', 'X-Vault-Request': 'true', 'X-Vault-Namespace': 'root/' }, 'a'],
  ])('in the %s profile from %j is %s', async (profile, headers, token) => {
    const { send, method } = harness(undefined, { profile });
    await send(ROLE, { headers });
    expect(method.calls).toMatchObject([{ token }]);
  });
});

describe('W6: headers that ask for what is not there', () => {
  it.each([
    [{ 'X-Vault-Wrap-TTL': '60' }, 'X-Vault-Wrap-TTL'],
    [{ 'X-Vault-Wrap-TTL': '5m' }, 'X-Vault-Wrap-TTL'],
    [{ 'X-Vault-Namespace': 'team/' }, 'X-Vault-Namespace'],
    [{ 'X-Vault-Namespace': 'root/team' }, 'X-Vault-Namespace'],
  ])('%j are refused by name in the vault profile alone', async (headers, name) => {
    const { send, method } = harness(undefined, { profile: 'vault' });
    const refused = await send(ROLE, { headers });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({ errors: [expect.stringContaining(name)], code: 'unsupported_header' });
    expect(method.calls).toEqual([]);
    expect((await harness().send(ROLE, { headers })).status).toBe(204);
  });

  it.each([
    { 'X-Vault-Wrap-TTL': '' },
    { 'X-Vault-Wrap-TTL': '0' },
    { 'X-Vault-Wrap-TTL': '0s' },
    { 'X-Vault-Namespace': '' },
    { 'X-Vault-Namespace': '/' },
    { 'X-Vault-Namespace': 'root' },
  ])('%j ask for nothing', async (headers) => {
    expect((await harness(undefined, { profile: 'vault' }).send(ROLE, { headers })).status).toBe(204);
  });
});

describe('members', () => {
  const write = (body: object): Sent => ({ method: 'POST', body: JSON.stringify(body) });

  it.each<['neutral' | 'vault', object, object]>([
    ['vault', { aws_public_cert: 'x', type: 'pkcs7' }, { cloud_public_cert: 'x', type: 'pkcs7' }],
    ['vault', { resolve_aws_unique_ids: false }, { resolve_cloud_unique_ids: false }],
    ['vault', { cloud_public_cert: 'y', aws_public_cert: 'x' }, { cloud_public_cert: 'x' }],
    ['vault', { inferred_aws_region: 'us-east-1' }, { inferred_aws_region: 'us-east-1' }],
    ['neutral', { aws_public_cert: 'x' }, { aws_public_cert: 'x' }],
    ['neutral', { cloud_public_cert: 'x' }, { cloud_public_cert: 'x' }],
  ])('of a %s request %j reach the core as %j', async (profile, sent, fields) => {
    const { send, method } = harness(undefined, { profile });
    await send(ROLE, write(sent));
    expect(method.calls[0]?.fields).toEqual(fields);
  });

  it.each<['neutral' | 'vault', object]>([
    ['neutral', { resolve_cloud_unique_ids: true, role_id: 'r' }],
    ['vault', { resolve_aws_unique_ids: true, role_id: 'r' }],
  ])('of a %s answer are named as its readers know them', async (profile, data) => {
    const { send } = harness(() => ({ data: { resolve_cloud_unique_ids: true, role_id: 'r' } }), { profile });
    expect(((await (await send(ROLE)).json()) as { data: object }).data).toEqual(data);
  });

  it('are named so in errors and warnings too', async () => {
    const refusing = harness(
      () => {
        throw new AuthError('field_missing', 'cloud_public_cert: is required');
      },
      { profile: 'vault' },
    );
    expect(await (await refusing.send(ROLE)).json()).toMatchObject({ errors: ['aws_public_cert: is required'] });
    const warning = harness(() => ({ warnings: ['resolve_cloud_unique_ids: ignored'] }), { profile: 'vault' });
    expect(await (await warning.send(ROLE)).json()).toMatchObject({ warnings: ['resolve_aws_unique_ids: ignored'] });
  });
});
