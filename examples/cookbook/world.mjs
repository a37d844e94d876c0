/** What the recipes take as given: a method over a simulated AWS, a role `web`, and an instance with its document. */
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';

const clock = { now: () => Date.now() };

/** @param {Partial<import('@postern/core-auth').AuthPorts>} ports */
export async function createWorld(ports = {}) {
  const cloud = createFakeCloud({ clock });
  const method = createAuthMethod(
    {
      storage: createMemoryStorage(),
      crypto: createNodeCrypto(),
      cloud,
      audit: { record: () => undefined },
      ...ports,
    },
    { builtInCertificates: cloud.defaultCertificates() },
  );
  const role = { auth_type: 'ec2', bound_account_id: cloud.ownAccountId, token_policies: 'web', token_ttl: '1h' };
  await method.roles.write('web', role);
  return { method, cloud, pkcs7: cloud.launchInstance().identityDocument().rsa2048 };
}
