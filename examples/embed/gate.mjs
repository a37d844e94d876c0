/** Postern inside a service: one object, no HTTP. The region is the code of the README; a test compares them. */
// #region readme
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { inventory } from './inventory.mjs'; // yours: a map from instance id to what is known of the instance

export const auth = createAuthMethod({
  storage: await openSqliteStorage({ file: './postern-data/embed.db' }),
  crypto: createNodeCrypto(),
  cloud: {
    describeInstance: async ({ instanceId }) => inventory.get(instanceId),
    rolesOfProfile: async () => undefined,
    describePrincipal: async () => undefined,
  },
  audit: { record: (event) => console.log('audit:', event.operation, event.outcome, event.code ?? '') },
});

await auth.roles.write('web', { auth_type: 'ec2', bound_region: 'us-east-1', token_policies: ['web'] });
// #endregion
