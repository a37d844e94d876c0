/** Postern inside a service: one object, no HTTP. The region is the code of the README; a test compares them. */
// #region readme
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { inventory } from './inventory.mjs'; // yours: a map from instance id to what is known of the instance

export const method = createAuthMethod({
  storage: await openSqliteStorage({ file: './postern-data/embed.db' }),
  crypto: createNodeCrypto(),
  cloud: {
    describeInstance: async ({ instanceId }) => inventory.get(instanceId),
    rolesOfProfile: async () => undefined,
    describePrincipal: async () => undefined,
  },
  audit: { record: (event) => console.log('audit:', event.operation, event.outcome, event.code ?? '') },
});

const call = () => ({ requestId: crypto.randomUUID(), peerAddress: undefined, params: {}, token: undefined });
const role = { auth_type: 'ec2', bound_region: 'us-east-1', token_policies: 'web' };
await method.callAsHost({ ...call(), operation: 'role.write', params: { role: 'web' }, fields: role });

/** @param {{ role: string, pkcs7: string, nonce?: string }} fields */
export const login = (fields) => method.call({ ...call(), operation: 'login', fields });
// #endregion
