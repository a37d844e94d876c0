// #region jest
import { expect, test } from '@jest/globals';
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createWebCrypto } from '@postern/crypto-web';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';

test.each([createNodeCrypto, createWebCrypto])('an instance logs in with %p', async (createCrypto) => {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const ports = { storage: createMemoryStorage(), crypto: createCrypto(), cloud, audit: { record: () => undefined } };
  const auth = createAuthMethod(ports, { builtInCertificates: cloud.defaultCertificates() });
  await auth.roles.write('web', { auth_type: 'ec2', bound_region: cloud.region, token_policies: ['web'] });

  const pkcs7 = cloud.launchInstance().identityDocument().rsa2048;
  const { auth: granted } = await auth.login({ role: 'web', pkcs7 });
  const { data } = await auth.withToken(granted.client_token).tokens.lookupSelf();
  expect(data.policies).toEqual(['default', 'web']);
  await expect(auth.login({ role: 'web', pkcs7, nonce: 'a guess' })).rejects.toMatchObject({ code: 'nonce_mismatch' });
});
// #endregion
