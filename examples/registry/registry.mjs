/** The registry over that catalogue, with tokens of your own, as one `(Request) => Promise<Response>`. */
import { createRegistry } from '@postern/core-registry';
import { createRegistryApp, createUrlSigner } from '@postern/http';
import { createMemoryStorage } from '@postern/storage-memory';
import { catalogue } from './catalogue.mjs';

/** Who has which token, and what they may do: in your service, what knows your users. */
const callers = new Map([
  ['token-of-release', { name: 'release', policies: ['read', 'manage'] }],
  ['token-of-ci', { name: 'ci', policies: ['read'] }],
]);

export const registry = createRegistry({
  storage: createMemoryStorage(),
  clock: { now: () => Date.now() },
  catalogue,
  authorizer: {
    identify: (token) => callers.get(token),
    isAllowed: ({ caller, namespace, action }) => namespace === 'acme' && caller.policies.includes(action),
    readableNamespaces: () => ['acme'],
  },
  audit: { record: (event) => console.log('audit:', event.operation, event.outcome, event.principal ?? '') },
  events: { publish: ({ version, from, to, reason }) => console.log('event:', version.version, from, '→', to, reason) },
});

export const app = createRegistryApp({
  registry,
  urlSigner: createUrlSigner([crypto.getRandomValues(new Uint8Array(32))]),
  peerAddress: () => undefined,
});
