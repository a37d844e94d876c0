/** A service that lets its instances in: `node examples/embed/main.mjs`. The cloud is a fake one, so that it runs anywhere. */
import { isAuthError } from '@postern/core-auth';
import { createFakeCloud } from '@postern/testkit';
import { login, method } from './gate.mjs';
import { inventory } from './inventory.mjs';

const cloud = createFakeCloud({ clock: { now: () => Date.now() }, region: 'us-east-1' });
const instance = cloud.launchInstance();
inventory.set(instance.instanceId, instance.facts());

// The certificates of AWS are built in; those of any other cloud are registered once.
await method.callAsHost({
  operation: 'config.certificate.write',
  params: { cert_name: 'fake-cloud' },
  fields: { cloud_public_cert: cloud.certificates().pkcs7Rsa2048, type: 'pkcs7' },
  requestId: 'start',
  peerAddress: undefined,
});

const pkcs7 = instance.identityDocument().rsa2048;
// #region use
const { auth } = await login({ role: 'web', pkcs7 }); // auth.client_token, auth.metadata.nonce
// #endregion
console.log(`${instance.instanceId} has a token with the policies ${auth?.policies.join(', ')}`);

try {
  await login({ role: 'web', pkcs7, nonce: 'a guess' });
} catch (error) {
  if (!isAuthError(error)) throw error;
  console.log(`the same document with another nonce: ${error.code}`);
}
