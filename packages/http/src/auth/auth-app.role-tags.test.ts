/** Role tags and the deny list over HTTP, on the method itself (TAG-1, DENY-1, WIRE-8, DENY-2). */
import { createAuthMethod } from '@postern/core-auth';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createAnswerCheck } from '../../test/check-answer.js';
import { memoryPorts } from '../../test/memory-ports.js';
import { createHttpApp } from '../http-app.js';

const MOUNT = '/v1/auth/cloud';

/** @param nonce first bytes that the method draws for a tag: 0xff makes slashes in its text. */
async function world(nonce = 0xff, profile: 'neutral' | 'vault' = 'neutral') {
  const clock = createManualClock(Date.UTC(2026, 10, 21, 9));
  const cloud = createFakeCloud({ clock, seed: 'http', ownAccountId: '111111111111' });
  const ports = memoryPorts(cloud, clock);
  const method = createAuthMethod(
    {
      ...ports,
      crypto: {
        ...ports.crypto,
        bytes: (length) => (length === 8 ? new Uint8Array(8).fill(nonce) : ports.crypto.bytes(length)),
      },
    },
    { builtInCertificates: cloud.defaultCertificates() },
  );
  const token = await method.createRootToken();
  const app = createHttpApp<undefined>({
    method,
    profile,
    peerAddress: () => '192.0.2.7',
    health: () => ({ storageReachable: true, version: '0.1.0', serverTime: 0 }),
  });
  const checkAnswer = await createAnswerCheck(app);
  const headers = { [profile === 'vault' ? 'x-vault-token' : 'x-service-token']: token };
  async function send(verb: string, path: string, body?: unknown) {
    const init = { method: verb, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const request = new Request(`http://postern.test${MOUNT}${path}`, init);
    const response = await app.fetch(request, undefined);
    await checkAnswer(verb, request.url, response);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
  await send('POST', '/role/dev', { auth_type: 'ec2', bound_ami_id: 'ami-1', role_tag: 'RoleTag', policies: 'p,q' });
  const issued = await send('POST', '/role/DEV/tag', { policies: 'p' });
  return { send, cloud, issued, tag: String(issued.body?.data?.tag_value) };
}

describe.each(['neutral', 'vault'] as const)('in the %s profile', (profile) => {
  it('row 25 makes a tag, on POST and PUT only', async () => {
    const { send, issued, tag } = await world(0xff, profile);
    expect(issued).toMatchObject({ status: 200, body: { data: { tag_key: 'RoleTag' }, warnings: null, auth: null } });
    expect(tag).toMatch(/^v1:\/{10}8=:r=dev:d=false:m=false:p=p:[\w+/]{43}=$/);
    expect((await send('PUT', '/role/dev/tag')).status).toBe(200);
    for (const verb of ['GET', 'DELETE', 'LIST']) expect((await send(verb, '/role/dev/tag')).status).toBe(405);
    expect(await send('POST', '/role/none/tag')).toMatchObject({ status: 400, body: { code: 'role_not_found' } });
    expect(await send('POST', '/role/dev/tag', { policies: 'z' })).toMatchObject({
      status: 400,
      body: { errors: [expect.any(String)], code: 'tag_policies_not_subset' },
    });
  });

  it.each(['roletag-denylist', 'roletag-blacklist'])('rows 27 to 30 answer below %s', async (list) => {
    const { send, tag } = await world(0xff, profile);
    const spellings = [
      tag,
      encodeURIComponent(tag),
      encodeURIComponent(Buffer.from(tag).toString('base64')),
      Buffer.from(tag).toString('base64url'),
    ];
    expect(await send('LIST', `/${list}`)).toEqual({ status: 404, body: { errors: [] } });
    for (const spelling of spellings) {
      expect(await send('GET', `/${list}/${spelling}`)).toEqual({ status: 404, body: { errors: [] } });
      expect(await send('POST', `/${list}/${spelling}`)).toEqual({ status: 204, body: undefined });
      const times = { creation_time: expect.stringMatching(/Z$/), expiration_time: expect.stringMatching(/Z$/) };
      for (const other of spellings) {
        expect(await send('GET', `/${list}/${other}`)).toMatchObject({ status: 200, body: { data: times } });
      }
      const keys = { status: 200, body: { data: { keys: [tag] } } };
      expect(await send('LIST', `/${list}`)).toMatchObject(keys);
      expect(await send('LIST', '/roletag-denylist/')).toMatchObject(keys);
      expect(await send('GET', `/${list}?list=true`)).toMatchObject(keys);
      expect(await send('DELETE', `/${list}/${spelling}`)).toEqual({ status: 204, body: undefined });
    }
    expect((await send('DELETE', `/${list}/${tag}`)).status).toBe(204);
    for (const bad of ['garbage', `${tag}x`, Buffer.from(Buffer.from(tag).toString('base64')).toString('base64')]) {
      expect(await send('POST', `/${list}/${bad}`)).toMatchObject({ status: 400, body: { code: 'role_tag_invalid' } });
    }
    expect((await send('GET', `/${list}/`)).status).toBe(405);
    expect((await send('POST', `/${list}`)).status).toBe(405);
  });

  it('a deny-listed tag is refused with 400 and says why', async () => {
    const { send, tag, cloud } = await world(0xff, profile);
    const instance = cloud.launchInstance({ imageId: 'ami-1', tags: { RoleTag: tag } });
    const login = () => send('POST', '/login', { pkcs7: instance.identityDocument().rsa2048, role: 'dev', nonce: 'N' });
    expect(await login()).toMatchObject({ status: 200, body: { auth: { policies: ['default', 'p'] } } });
    await send('POST', `/roletag-denylist/${tag}`);
    const refused = await login();
    expect(refused).toMatchObject({ status: 400, body: { code: 'role_tag_deny_listed' } });
    expect(JSON.stringify(refused.body)).not.toContain(tag.slice(-20));
    instance.setTags({});
    expect(await login()).toMatchObject({ status: 400, body: { code: 'role_tag_missing' } });
  });
});
