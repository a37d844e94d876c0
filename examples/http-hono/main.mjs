/** Serves the application on any free port and calls it: `node examples/http-hono/main.mjs`. */
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { createApp } from './app.mjs';

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

const server = serve({ fetch: createApp(method, clock.now).fetch, hostname: '127.0.0.1', port: 0 });
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const url = `http://127.0.0.1:${address.port}`;

const role = { auth_type: 'ec2', bound_account_id: cloud.ownAccountId, token_policies: 'web' };
const wrote = await fetch(`${url}/v1/auth/cloud/role/web`, {
  method: 'POST',
  headers: { 'x-service-token': root },
  body: JSON.stringify(role),
});
console.log('role:', wrote.status);

const pkcs7 = cloud.launchInstance().identityDocument().rsa2048;
const login = await fetch(`${url}/v1/auth/cloud/login`, {
  method: 'POST',
  body: JSON.stringify({ role: 'web', pkcs7 }),
});
const { auth } = await login.json();
console.log('login:', login.status, auth.policies.join(', '));

/** @param {string} token */
const hello = async (token) => {
  const answer = await fetch(`${url}/hello`, { headers: { authorization: `Bearer ${token}` } });
  return `${answer.status} ${await answer.text()}`;
};
console.log('hello with the token:', await hello(auth.client_token));
console.log('hello with none of ours:', await hello('pst_something'));
console.log('health:', (await fetch(`${url}/v1/sys/health`)).status);
server.close();
