/** The client against the real server, in both wire profiles: logins of instances and principals, and a token's own calls. */
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type LoginSite, openLoginSite } from '../../test/login-site.js';
import { memoryNonceStore } from '../nonce/nonce-store.js';
import type { ProfileName } from '../wire-profile.js';

const sites: LoginSite[] = [];
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.close()));
});

async function openSite(profile: ProfileName = 'neutral') {
  const site = await openLoginSite(profile);
  sites.push(site);
  return site;
}

describe.each<ProfileName>(['neutral', 'vault'])('in the %s profile', (profile) => {
  it('an instance logs in, again and again, against any role, with the nonce that is kept', async () => {
    const site = await openSite(profile);
    await site.manage('role/other', { auth_type: 'ec2', bound_ami_id: site.instance.imageId });
    const nonces = memoryNonceStore();
    const evidence = await site.evidence();
    const first = await site.client().loginWithInstance({ role: 'web', nonces, evidence });
    expect(first).toMatchObject({ policies: ['default', 'web'], ttlSeconds: 3600, renewable: true });
    expect(first.metadata).toMatchObject({ role: 'web' });
    expect(first.nonce).toBeUndefined();
    for (const role of ['web', 'other']) {
      const again = await site.client().loginWithInstance({ role, nonces, evidence: () => site.evidence() });
      expect(again.token).not.toBe(first.token);
    }
    const lost = site.client().loginWithInstance({ role: 'web', nonces: memoryNonceStore(), evidence });
    await expect(lost).rejects.toMatchObject({ kind: 'denied', code: 'nonce_mismatch', status: 400 });
  });

  it('a token is looked up, renewed and revoked by itself', async () => {
    const site = await openSite(profile);
    const client = site.client();
    const { token, accessor } = await client.loginWithInstance({
      role: 'web',
      nonces: memoryNonceStore(),
      evidence: await site.evidence(),
    });
    expect(await client.lookupSelf(token)).toMatchObject({ accessor, policies: ['default', 'web'], renewable: true });
    expect(await client.renewSelf(token)).toMatchObject({ accessor, ttlSeconds: 3600, token });
    expect(await client.renewSelf(token, { incrementSeconds: 60 })).toMatchObject({ ttlSeconds: 60 });
    await client.revokeSelf(token);
    for (const call of [client.lookupSelf(token), client.renewSelf(token), client.revokeSelf(token)]) {
      await expect(call).rejects.toMatchObject({ kind: 'forbidden', code: 'permission_denied', status: 403 });
    }
  });

  it('a management token manages the method, below its mount path alone', async () => {
    const site = await openSite(profile);
    const client = site.client();
    const read = { method: 'GET', path: 'role/web' } as const;
    expect(await client.manage(site.root, read)).toMatchObject({ auth_type: 'ec2', token_policies: ['web'] });
    const write = { method: 'POST', path: '/role/web', fields: { token_policies: 'web,dev' } } as const;
    expect(await client.manage(site.root, write)).toEqual({});
    expect(await client.manage(site.root, read)).toMatchObject({ token_policies: ['web', 'dev'] });
    for (const path of ['../../sys/health', 'role/a?b', '']) {
      await expect(client.manage(site.root, { method: 'GET', path })).rejects.toThrow(TypeError);
    }
    await expect(client.manage('pst_none', read)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'permission_denied',
    });
  });

  it('a principal logs in, for this server only', async () => {
    const site = await openSite(profile);
    const role = site.cloud.createRole({ name: 'deploy' });
    const resolve = profile === 'vault' ? 'resolve_aws_unique_ids' : 'resolve_cloud_unique_ids';
    await site.manage('role/pipelines', { bound_iam_principal_arn: role.arn, [resolve]: false });
    await site.manage('config/client', { iam_server_id_header_value: 'postern.example.org' });
    const credentials = async () => site.sts.assumeRole(role, { sessionName: 'build-17' });
    const how = { role: 'pipelines', credentials };
    const client = site.client();
    const login = await client.loginWithPrincipal({ ...how, serverId: 'postern.example.org' });
    expect(login.metadata).toMatchObject({ auth_type: 'iam', account_id: site.cloud.ownAccountId });
    expect(site.sts.calls.map(({ outcome }) => outcome)).toEqual(['ok']);
    for (const serverId of [undefined, 'other.example.org']) {
      const refused = client.loginWithPrincipal({ ...how, serverId });
      await expect(refused).rejects.toMatchObject({ kind: 'denied', code: 'evidence_unverified' });
    }
    const unnamed = client.loginWithPrincipal({ credentials, serverId: 'postern.example.org' });
    await expect(unnamed).rejects.toMatchObject({ kind: 'denied', code: 'role_not_found' });
    await site.manage('config/client', { use_sts_region_from_client: true });
    await client.loginWithPrincipal({ ...how, serverId: 'postern.example.org', region: 'eu-central-1' });
    expect(site.sts.calls.at(-1)?.endpoint).toBe('https://sts.eu-central-1.amazonaws.com');
  });
});

it('an instance logs in with document and signature too', async () => {
  const site = await openSite();
  const { identityDocument } = site.instance;
  const { documentBase64: identity, signature } = identityDocument();
  const evidence = { instanceId: site.instance.instanceId, proof: { identity, signature } };
  const login = await site.client().loginWithInstance({ role: 'web', nonces: memoryNonceStore(), evidence });
  expect(login.policies).toContain('web');
});

it('an empty nonce makes the login the last one', async () => {
  const site = await openSite();
  const evidence = await site.evidence();
  const login = () => site.client().loginWithInstance({ role: 'web', nonce: '', evidence });
  await login();
  await expect(login()).rejects.toMatchObject({
    kind: 'denied',
    code: 'reauthentication_disabled',
    message: expect.not.stringContaining('[hidden]'),
  });
});

it('a login that could lose the nonce is not begun', async () => {
  const site = await openSite();
  const evidence = await site.evidence();
  // @ts-expect-error: one of the two is needed.
  await expect(site.client().loginWithInstance({ role: 'web', evidence })).rejects.toThrow(TypeError);
  await site.client().loginWithInstance({ role: 'web', nonces: memoryNonceStore(), evidence });
});

it('the role may be left to the server', async () => {
  const site = await openSite();
  await site.manage(`role/${site.instance.imageId}`, { auth_type: 'ec2', bound_ami_id: site.instance.imageId });
  const login = await site.client().loginWithInstance({ nonces: memoryNonceStore(), evidence: await site.evidence() });
  expect(login.metadata).toMatchObject({ role: site.instance.imageId });
});

it('no secret is printed', async () => {
  const site = await openSite();
  const evidence = await site.evidence();
  const nonce = 'a-nonce-of-my-own-choice';
  const login = await site.client().loginWithInstance({ role: 'web', nonce, evidence });
  const refusal = await site
    .client()
    .loginWithInstance({ role: 'web', nonce: `${nonce}-not`, evidence })
    .catch((error: unknown) => error);
  const printed = [login, { ...login }, evidence, refusal]
    .flatMap((each) => [inspect(each, { showHidden: true, depth: 9 }), JSON.stringify(each), String(each)])
    .join('\n');
  const proof = 'pkcs7' in evidence.proof ? evidence.proof.pkcs7 : '';
  for (const secret of [login.token, nonce, proof.slice(0, 40)]) {
    expect(secret.length).toBeGreaterThan(20);
    expect(printed).not.toContain(secret);
  }
  expect(printed).toContain(login.accessor);
  expect(printed).toContain('[hidden]');
});

it('what can stand in no header is refused before it is sent', async () => {
  const client = (await openSite()).client();
  await expect(client.lookupSelf('s.two\nlines')).rejects.toThrow(TypeError);
  await expect(client.renewSelf('')).rejects.toThrow(TypeError);
});
