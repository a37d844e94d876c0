/** A token looked up, renewed and revoked: by itself, by its text and by its accessor. */
import { deepStrictEqual, fail } from 'node:assert/strict';
import { did, empty, expectMembers, refused } from './checks.mjs';

const WAIT_MS = 10_000;
const GONE = [403, { errors: ['permission denied'], code: 'permission_denied' }];

export async function useTokens(vault, guest, { instances: { first } }) {
  const login = async () => {
    const instance = guest();
    const { auth } = await instance.write('auth/aws/login', { role: 'web', pkcs7: first.pkcs7, nonce: 'mine' });
    // `write` keeps no token; `awsIamLogin` does.
    instance.token = auth.client_token;
    return instance;
  };

  let instance = await login();
  const own = await instance.tokenLookupSelf();
  expectMembers(own.data, { id: instance.token, path: 'auth/aws/login', type: 'service', creation_ttl: 60 });
  const { auth } = await instance.tokenRenewSelf({ increment: '90s' });
  expectMembers(auth, { client_token: instance.token, lease_duration: 90, renewable: true });
  await empty(instance.tokenRevokeSelf());
  await refused(...GONE, () => instance.tokenLookupSelf());
  did('looked its token up, renewed and revoked it');

  instance = await login();
  const byText = await vault.tokenLookup({ token: instance.token });
  const { accessor } = byText.data;
  deepStrictEqual((await vault.tokenLookupAccessor({ accessor })).data, { ...byText.data, id: '' });
  await refused(...GONE, () => instance.tokenLookup({ token: instance.token }));
  await empty(vault.tokenRevokeAccessor({ accessor }));
  await refused(...GONE, () => instance.tokenLookupSelf());
  instance = await login();
  await empty(vault.tokenRevoke({ token: instance.token }));
  await refused(...GONE, () => instance.tokenLookupSelf());
  did("looked up and revoked another's token, by its text and by its accessor");

  instance = await login();
  const renewed = new Promise((resolve, reject) => {
    instance.once('token:renewed', resolve);
    instance.once('token:error:renew', reject);
  });
  // It would ask for the lifetime itself; we say a second, so that this does not take a minute.
  await instance.startTokenRenewal({ ttl: 1 });
  // Its timer does not keep a process alive; ours does.
  const alive = setTimeout(() => fail('the token was not renewed'), WAIT_MS);
  expectMembers((await renewed).auth, { client_token: instance.token, lease_duration: 60 });
  clearTimeout(alive);
  instance.stopTokenRenewal();
  did('kept a token alive by its own timer');
}
