/** Starts the line server on any free port and talks to it: `node examples/own-transport/main.mjs`. */
import { once } from 'node:events';
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { connectLines } from './line-client.mjs';
import { createLineServer } from './line-server.mjs';

const clock = { now: () => Date.now() };
const cloud = createFakeCloud({ clock });
const node = createNodeCrypto();
const method = createAuthMethod(
  {
    storage: createMemoryStorage(),
    clock,
    crypto: node,
    cloud,
    audit: { record: () => undefined },
  },
  { builtInCertificates: cloud.defaultCertificates() },
);
const root = await method.createRootToken();

const server = createLineServer(method).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const client = await connectLines(address.port);

const wrote = await client.call('role.write', {
  token: root,
  params: { role: 'web' },
  fields: { auth_type: 'ec2', bound_account_id: cloud.ownAccountId },
});
console.log('role.write:', JSON.stringify(wrote.ok));

const pkcs7 = cloud.launchInstance().identityDocument().rsa2048;
const first = await client.call('login', { fields: { role: 'web', pkcs7 } });
const token = first.ok?.auth?.client_token;
console.log('login:', first.ok?.auth?.policies.join(', '));

const again = await client.call('login', { fields: { role: 'web', pkcs7 } });
console.log('login without the nonce:', again.error?.code, again.error?.kind);

const stranger = await client.call('role.read', { token, params: { role: 'web' } });
console.log('role.read by the instance:', stranger.error?.code, stranger.error?.kind);

const self = await client.call('token.lookup-self', { token });
console.log('token.lookup-self:', self.ok?.data?.['display_name']);

client.close();
server.close();
