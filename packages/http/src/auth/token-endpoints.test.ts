/**
 * The token endpoints beside the mount, as clients of such servers ask them: verb, answer and refusal of each, in both wire
 * profiles (TOKEN-4, TOKEN-6). A token is looked up with GET where it names itself in the header, with POST where a body
 * names it: so do the clients, and nothing else is answered.
 */
import { describe, expect, it } from 'vitest';
import { done, textIn } from '../../test/endpoints/endpoint-row.js';
import { type HttpSite, IMAGE_ID, openHttpSite } from '../../test/http-site.js';
import type { ProfileName } from './wire-profile.js';

interface Named {
  readonly token: string;
  readonly accessor: string;
}

async function world(profile: ProfileName) {
  const site = await openHttpSite(profile);
  await done(site.ask('POST', 'role/dev', { auth_type: 'ec2', bound_ami_id: IMAGE_ID, token_ttl: '1h' }));
  const login = await done(site.ask('POST', 'login', { role: 'dev', ...site.proof() }));
  return { site, token: textIn(login, 'auth', 'client_token'), accessor: textIn(login, 'auth', 'accessor') };
}

const told = (id: string, { accessor }: Named) => ({ data: { id, accessor, ttl: 3600, type: 'service' }, auth: null });
const renewed = ({ token }: Named) => ({
  data: null,
  auth: { client_token: token, lease_duration: 3600, renewable: true, token_type: 'service' },
});

interface Endpoint {
  readonly name: string;
  readonly verb: 'GET' | 'POST';
  /** What a body names; `self` is the caller's own, in the header. */
  readonly by: 'self' | 'token' | 'accessor';
  readonly body?: (named: Named) => object;
}

const ENDPOINTS: readonly Endpoint[] = [
  { name: 'lookup-self', verb: 'GET', by: 'self', body: (named) => told(named.token, named) },
  { name: 'renew-self', verb: 'POST', by: 'self', body: renewed },
  { name: 'revoke-self', verb: 'POST', by: 'self' },
  { name: 'lookup', verb: 'POST', by: 'token', body: (named) => told(named.token, named) },
  { name: 'renew', verb: 'POST', by: 'token', body: renewed },
  { name: 'revoke', verb: 'POST', by: 'token' },
  { name: 'lookup-accessor', verb: 'POST', by: 'accessor', body: (named) => told('', named) },
  { name: 'revoke-accessor', verb: 'POST', by: 'accessor' },
];

const ask = (site: HttpSite, { name, verb, by }: Endpoint, named: Named, token?: string) =>
  site.send(verb, `auth/token/${name}`, {
    ...(by === 'self' ? { token: token ?? named.token } : { body: { [by]: named[by] } }),
    ...(token === undefined ? {} : { token }),
  });

describe.each<ProfileName>(['neutral', 'vault'])('in the %s profile', (profile) => {
  it.each(ENDPOINTS)('$verb $name answers, and a revoked token is rejected', async (endpoint) => {
    const { site, ...named } = await world(profile);
    const answer = await ask(site, endpoint, named);
    expect(answer.status).toBe(endpoint.body === undefined ? 204 : 200);
    if (endpoint.body === undefined) {
      expect(answer.body).toBeUndefined();
      expect((await site.send('GET', 'auth/token/lookup-self', { token: named.token })).status).toBe(403);
    } else {
      expect(answer.body).toMatchObject({ ...endpoint.body(named), warnings: null });
    }
  });

  it.each(ENDPOINTS)('$verb $name is refused without the permission', async (endpoint) => {
    const { site, ...named } = await world(profile);
    const nobody = `${named.token}x`;
    const denied = { status: 403, body: { errors: ['permission denied'], code: 'permission_denied' } };
    for (const token of ['', nobody, ...(endpoint.by === 'self' ? [] : [named.token])]) {
      const { status, body } = await ask(site, endpoint, named, token);
      expect({ status, body }).toEqual(denied);
    }
  });

  it.each(ENDPOINTS)('$name answers to no other verb than $verb', async ({ name, verb }) => {
    const { site, token } = await world(profile);
    const other = verb === 'GET' ? 'POST' : 'GET';
    const answer = await site.send(other, `auth/token/${name}`, { token });
    expect(answer).toMatchObject({ status: 405, body: { code: 'unsupported_operation' } });
    expect(answer.headers.get('allow')).toBe(verb === 'GET' ? 'GET' : 'POST, PUT');
  });

  it.each(ENDPOINTS.filter(({ by }) => by !== 'self'))(
    '$name needs to be told which, and one that is',
    async (endpoint) => {
      const { site } = await world(profile);
      const of = async (body: object) => {
        const { status, body: answer } = await site.send('POST', `auth/token/${endpoint.name}`, { body });
        return [status, answer?.['code']];
      };
      expect(await of({})).toEqual([400, 'field_missing']);
      const gone = endpoint.name.startsWith('revoke') ? [204, undefined] : [403, 'token_not_found'];
      expect(await of({ [endpoint.by]: 'nobody' })).toEqual(gone);
    },
  );
});
