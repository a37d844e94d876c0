// #region jest
import { expect, test } from '@jest/globals';
import { createNodeCrypto } from '@postern/crypto-node';
import { createWebCrypto } from '@postern/crypto-web';
import { createTestWorld } from '@postern/testkit/world';

test.each([createNodeCrypto, createWebCrypto])('an instance logs in with %p', async (createCrypto) => {
  const { auth, login } = createTestWorld({ ports: { crypto: createCrypto() } });
  const { token, instance } = await login({ policies: ['web'] });
  const { data } = await auth.withToken(token).tokens.lookupSelf();
  expect(data.policies).toEqual(['default', 'web']);
  await expect(login({ instance, policies: ['web'], nonce: 'a guess' })).rejects.toMatchObject({
    code: 'nonce_mismatch',
  });
});
// #endregion
