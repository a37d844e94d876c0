/** Postern on nothing but web standards: a Worker, Deno and Bun serve it. docs/cookbook/runtimes.md shows the region. */
// #region gate
import { createAuthMethod } from '@postern/core-auth';
import { createWebCrypto } from '@postern/crypto-web';
import { createAuthApp } from '@postern/http/auth';
import { createMemoryStorage } from '@postern/storage-memory';
import { certificate, describeInstance } from './inventory.mjs'; // yours

const auth = createAuthMethod({
  storage: createMemoryStorage(), // for tests: each isolate has its own
  crypto: createWebCrypto(),
  cloud: { describeInstance, rolesOfProfile: async () => undefined, describePrincipal: async () => undefined },
  audit: { record: (event) => console.log('audit:', event.operation, event.outcome, event.code ?? '') },
});

const app = createAuthApp({
  method: auth,
  peerAddress: (_request, /** @type {string | undefined} */ peer) => peer,
  health: () => ({ storageReachable: true, version: '1', serverTime: Date.now() }),
});

/** With the first request: before it, a Worker draws no random numbers and has no network. */
async function prepare() {
  await auth.certificates.write('own', { cloud_public_cert: certificate, type: 'pkcs7' });
  await auth.roles.write('web', {
    auth_type: 'ec2',
    bound_region: 'us-east-1',
    token_policies: ['web'],
    token_bound_cidrs: ['127.0.0.0/8'],
  });
}

/** @type {Promise<void> | undefined} */
let prepared;

/** @param {Request} request @param {string | undefined} peer address that the request came from */
export async function handle(request, peer) {
  prepared ??= prepare();
  await prepared;
  return app.fetch(request, peer);
}
// #endregion
