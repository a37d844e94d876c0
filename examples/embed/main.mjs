/** A service that lets its instances in: `node examples/embed/main.mjs`. The cloud is a fake one, so that it runs anywhere. */
import { isAuthError } from '@postern/core-auth';
import { createFakeCloud } from '@postern/testkit';
import { auth } from './gate.mjs';
import { inventory } from './inventory.mjs';

const cloud = createFakeCloud({ clock: { now: () => Date.now() }, region: 'us-east-1' });
const instance = cloud.launchInstance();
inventory.set(instance.instanceId, instance.facts());

// The certificates of AWS are built in; those of any other cloud are registered once.
await auth.certificates.write('fake-cloud', { cloud_public_cert: cloud.certificates().pkcs7Rsa2048, type: 'pkcs7' });

const pkcs7 = instance.identityDocument().rsa2048;
// #region use
const { auth: granted } = await auth.login({ role: 'web', pkcs7 }); // granted.client_token, granted.metadata.nonce
// #endregion
console.log(`${instance.instanceId} has a token with the policies ${granted.policies.join(', ')}`);

try {
  await auth.login({ role: 'web', pkcs7, nonce: 'a guess' });
} catch (error) {
  if (!isAuthError(error)) throw error;
  console.log(`the same document with another nonce: ${error.code}`);
}
