/** A session against the real server: real renewals, an operator who takes the entry away, a server that comes and goes. */
import { afterEach, expect, it } from 'vitest';
import { type LoginSite, openLoginSite } from '../../test/login-site.js';
import { memoryNonceStore, type NonceStore } from '../nonce/nonce-store.js';
import { keepLoggedIn, type PosternSession } from './keep-logged-in.js';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function openSite(): Promise<LoginSite> {
  const site = await openLoginSite();
  open.push(site);
  return site;
}

it('renews in time, and logs in anew where an operator has ended the renewals', async () => {
  const site = await openSite();
  await site.manage('role/web', { token_ttl: '1s', token_max_ttl: '1h' });
  const nonces = memoryNonceStore();
  const events: string[] = [];
  const session: PosternSession = keepLoggedIn(
    site.client(),
    (client, how) => client.loginWithInstance({ role: 'web', nonces, evidence: () => site.evidence(), ...how }),
    { onToken: (_login, by) => void events.push(by), onError: (error) => void events.push(String(Object(error).code)) },
  );
  open.push(session);
  const first = await session.token();
  while (events.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await session.token()).toBe(first);
  await site.manage(`identity-accesslist/${site.instance.instanceId}`, {}, 'DELETE');
  while (events.length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(events).toEqual(['login', 'renew', 'access_list_entry_missing', 'login']);
  const second = await session.token();
  expect(second).not.toBe(first);
  expect((await site.client().lookupSelf(second)).policies).toContain('web');
});

it('revokes its token at the end', async () => {
  const site = await openSite();
  const session = keepLoggedIn(
    site.client(),
    async (client, how) =>
      client.loginWithInstance({ role: 'web', nonces: memoryNonceStore(), evidence: await site.evidence(), ...how }),
    { revokeAtEnd: true },
  );
  const token = await session.token();
  await session.close();
  await expect(site.client().lookupSelf(token)).rejects.toMatchObject({ code: 'permission_denied' });
});

it('a response lost after the server has bound the instance does not lock it out', async () => {
  const site = await openSite();
  const nonces = memoryNonceStore();
  const evidence = await site.evidence();
  const cut = site.client({
    maxAttempts: 1,
    fetch: async (url, init) => {
      await fetch(url, init);
      throw new Error('the connection broke');
    },
  });
  const lost = cut.loginWithInstance({ role: 'web', nonces, evidence });
  await expect(lost).rejects.toMatchObject({ kind: 'unavailable', code: 'server_unreachable' });
  // A new process of the same program.
  const login = await site.client().loginWithInstance({ role: 'web', nonces, evidence });
  expect(login.policies).toContain('web');
});

it('nothing is sent where the nonce cannot be kept', async () => {
  const site = await openSite();
  const sent: string[] = [];
  const client = site.client({ fetch: async (url) => Promise.reject(new Error(`sent ${sent.push(url)}`)) });
  const broken: NonceStore = { keep: async () => Promise.reject(new RangeError('the disk is full')) };
  const login = client.loginWithInstance({ role: 'web', nonces: broken, evidence: await site.evidence() });
  await expect(login).rejects.toThrow(RangeError);
  expect(sent).toEqual([]);
});

it('many first logins of one machine at once all succeed', async () => {
  const site = await openSite();
  const nonces = memoryNonceStore();
  const evidence = await site.evidence();
  const logins = await Promise.all(
    Array.from({ length: 6 }, () => site.client().loginWithInstance({ role: 'web', nonces, evidence })),
  );
  expect(new Set(logins.map(({ token }) => token)).size).toBe(6);
});

it('what the nonce is kept for may outlive an address', async () => {
  const site = await openSite();
  const keys: string[] = [];
  const nonces: NonceStore = {
    keep: async (key) => {
      keys.push(key);
      return 'the-one-nonce';
    },
  };
  const evidence = await site.evidence();
  for (const options of [{}, { nonceScope: 'the gate' }, { url: site.server.url.replace('127.0.0.1', 'localhost') }]) {
    await site.client(options).loginWithInstance({ role: 'web', nonces, evidence });
  }
  const id = site.instance.instanceId;
  expect(keys.map((key) => JSON.parse(key))).toEqual([
    [site.server.url, 'auth/cloud', id],
    ['the gate', 'auth/cloud', id],
    [site.server.url.replace('127.0.0.1', 'localhost'), 'auth/cloud', id],
  ]);
});
