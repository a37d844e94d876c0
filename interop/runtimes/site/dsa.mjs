/** Prints what node:crypto of this runtime can verify, and how a login with a DSA document ends. */
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createMemoryStorage } from '@postern/storage-memory';
import cloud from './cloud.json' with { type: 'json' };
import { certificates, describeInstance } from './inventory.mjs';

const crypto = createNodeCrypto();
const events = [];
const auth = createAuthMethod(
  {
    storage: createMemoryStorage(),
    crypto,
    cloud: { describeInstance, rolesOfProfile: async () => undefined, describePrincipal: async () => undefined },
    audit: { record: (event) => void events.push(event) },
  },
  { allowSha1Signatures: true, builtInCertificates: certificates },
);
await auth.roles.write('web', { auth_type: 'ec2', bound_region: 'us-east-1' });

/** @param {string} pkcs7 */
async function login(pkcs7) {
  try {
    await auth.login({ role: 'web', pkcs7 });
    return 'logged in';
  } catch (error) {
    return `${error.code}: ${events.at(-1).reason}`;
  }
}

console.log(
  JSON.stringify({
    supports: ['dsa-sha1', 'dsa-sha256', 'rsa-sha256'].filter((algorithm) => crypto.supports(algorithm)),
    dsa: await login(cloud.dsa[0]),
    rsa: await login(cloud.rsa2048[1]),
  }),
);
