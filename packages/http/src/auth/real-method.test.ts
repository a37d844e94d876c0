/** A life over HTTP with the real method behind it: the shapes that clients were observed to receive. */
import { createAuthMethod } from '@postern/core-auth';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAnswerCheck } from '../../test/check-answer.js';
import { memoryPorts } from '../../test/memory-ports.js';
import { createHttpApp } from '../http-app.js';
import { type ProfileName, WIRE_PROFILES } from './wire-profile.js';

interface Envelope {
  readonly data: Record<string, unknown> | null;
  readonly auth: { readonly client_token: string; readonly metadata: Record<string, string> } | null;
  readonly code?: string;
}

async function world(profile: ProfileName) {
  const clock = createManualClock(Date.UTC(2026, 10, 21, 9));
  const cloud = createFakeCloud({ clock, seed: `http ${profile}` });
  const { tokenHeader, defaultMountPath } = WIRE_PROFILES[profile];
  const method = createAuthMethod(memoryPorts(cloud, clock), {
    builtInCertificates: cloud.defaultCertificates(),
    mountPath: defaultMountPath,
  });
  let peer = '192.0.2.1';
  const app = createHttpApp({
    method,
    profile,
    peerAddress: () => peer,
    health: () => ({ storageReachable: true, version: '0', serverTime: clock.now() }),
  });
  const root = await method.createRootToken();
  const checkAnswer = await createAnswerCheck(app);
  const send = async (verb: string, path: string, body?: object, token: string | undefined = root) => {
    const request = new Request(`http://postern.test/v1/${path}`, {
      method: verb,
      headers: { [tokenHeader]: token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await app.fetch(request, undefined);
    await checkAnswer(verb, request.url, response);
    const text = await response.text();
    return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) } as Envelope & { status: number };
  };
  const mount = (path: string) => `${defaultMountPath}/${path}`;
  await send('POST', mount('role/Dev'), { auth_type: 'ec2', bound_ami_id: 'ami-1', token_ttl: '1h' });
  return {
    cloud,
    send,
    mount,
    setPeer: (address: string) => {
      peer = address;
    },
  };
}

describe.each<ProfileName>(['neutral', 'vault'])('in the %s profile', (profile) => {
  let at: Awaited<ReturnType<typeof world>>;
  beforeEach(async () => {
    at = await world(profile);
  });
  const login = () => {
    const pkcs7 = at.cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048;
    return at.send('PUT', at.mount('login'), { role: 'dev', pkcs7 }, '');
  };

  it('a login is answered in the shape that clients know', async () => {
    expect(await login()).toEqual({
      status: 200,
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      lease_id: '',
      renewable: false,
      lease_duration: 0,
      data: null,
      wrap_info: null,
      warnings: null,
      auth: {
        client_token: expect.any(String),
        accessor: expect.any(String),
        policies: ['default'],
        token_policies: ['default'],
        metadata: expect.objectContaining({ role: 'dev', nonce: expect.any(String), role_tag_max_ttl: '0s' }),
        lease_duration: 3600,
        renewable: true,
        entity_id: expect.any(String),
        token_type: 'service',
        orphan: true,
        mfa_requirement: null,
        num_uses: 0,
      },
    });
  });

  it('its token is looked up, renewed, revoked, and then is rejected', async () => {
    const token = (await login()).auth?.client_token;
    const self = (verb: string, name: string) => at.send(verb, `auth/token/${name}`, undefined, token);
    expect((await self('GET', 'lookup-self')).data).toMatchObject({ id: token, ttl: 3600, type: 'service' });
    expect((await self('POST', 'renew-self')).auth).toMatchObject({ client_token: token, lease_duration: 3600 });
    expect((await self('POST', 'revoke-self')).status).toBe(204);
    expect(await self('GET', 'lookup-self')).toMatchObject({ status: 403, code: 'permission_denied' });
  });

  it('names members as the profile does, both ways', async () => {
    const name = profile === 'vault' ? 'resolve_aws_unique_ids' : 'resolve_cloud_unique_ids';
    const { data } = await at.send('GET', at.mount('role/DEV'));
    expect(data).toHaveProperty(name, true);
    expect((await at.send('POST', at.mount('role/dev'), { [name]: false })).status).toBe(400);
  });

  it('reading a role and writing it back changes nothing', async () => {
    const { data } = await at.send('GET', at.mount('role/dev'));
    expect((await at.send('POST', at.mount('role/dev'), data ?? {})).status).toBeLessThan(300);
    expect((await at.send('GET', at.mount('role/dev'))).data).toEqual(data);
  });

  it('lists what is there, and answers 404 when nothing is', async () => {
    expect((await at.send('LIST', at.mount('roles'))).data).toEqual({ keys: ['dev'] });
    expect(await at.send('LIST', at.mount('identity-accesslist'))).toEqual({ status: 404, errors: [] });
    await login();
    expect((await at.send('GET', at.mount('identity-whitelist?list=true'))).data?.['keys']).toHaveLength(1);
  });

  it('management needs a token that may', async () => {
    const token = (await login()).auth?.client_token;
    expect((await at.send('GET', at.mount('role/dev'), undefined, token)).status).toBe(403);
    expect((await at.send('GET', at.mount('role/dev'), undefined, '')).status).toBe(403);
    expect((await at.send('GET', at.mount('role/dev'), undefined, 'made up')).status).toBe(403);
  });

  it('bound addresses are held against the peer that the transport names', async () => {
    await at.send('POST', at.mount('role/dev'), { token_bound_cidrs: '192.0.2.0/24' });
    at.setPeer('198.51.100.9');
    expect(await login()).toMatchObject({ status: 403, errors: ['permission denied'] });
    at.setPeer('192.0.2.77');
    expect((await login()).status).toBe(200);
  });
});
