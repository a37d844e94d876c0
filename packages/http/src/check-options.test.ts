/** What an application does not get, its creator names: no option is missed only at the first request. */
import { createNodeCrypto } from '@postern/crypto-node';
import { createHttpApp, createUrlSigner } from '@postern/http';
import { createAuthApp } from '@postern/http/auth';
import { createRegistryPage } from '@postern/http/page';
import { createRegistryApp } from '@postern/http/registry';
import { expect, it } from 'vitest';
import { createFakeMethod } from '../test/fake-method.js';
import { createPageSite } from '../test/page/page-site.js';

const { registry } = createPageSite();
const crypto = createNodeCrypto();
const method = createFakeMethod();
const peerAddress = () => undefined;
const health = () => ({ storageReachable: true, version: '0', serverTime: 0 });
const urlSigner = createUrlSigner([new Uint8Array(32)]);

const OPTIONS = {
  createAuthApp: { method, peerAddress, health },
  createHttpApp: { method, peerAddress, health, registry: { registry, urlSigner } },
  createRegistryApp: { registry, urlSigner, peerAddress },
  createRegistryPage: { registry, crypto, peerAddress },
};
const CREATORS = { createAuthApp, createHttpApp, createRegistryApp, createRegistryPage };
type Creator = keyof typeof CREATORS;

/** What the types forbid, a program in JavaScript may pass. */
const create = (creator: Creator, slip: object) =>
  (CREATORS[creator] as (options: object) => unknown)({ ...OPTIONS[creator], ...slip });

const without = <T extends object>(value: T, member: keyof T) => ({ ...value, [member]: undefined });

it.each<[Creator, string, object]>([
  ['createAuthApp', 'method', { method: undefined }],
  ['createAuthApp', 'method.handle', { method: without(method, 'handle') }],
  ['createAuthApp', 'method.recordRefusal', { method: without(method, 'recordRefusal') }],
  ['createAuthApp', 'peerAddress', { peerAddress: undefined }],
  ['createAuthApp', 'health', { health: undefined }],
  ['createHttpApp', 'method', { method: undefined }],
  ['createHttpApp', 'peerAddress', { peerAddress: undefined }],
  ['createHttpApp', 'health', { health: undefined }],
  ['createHttpApp', 'registry.registry', { registry: { urlSigner } }],
  ['createHttpApp', 'registry.urlSigner', { registry: { registry } }],
  ['createHttpApp', 'registryPage.fetch', { registryPage: { path: '/registry' } }],
  ['createRegistryApp', 'registry', { registry: undefined }],
  ['createRegistryApp', 'registry.openArchive', { registry: without(registry, 'openArchive') }],
  ['createRegistryApp', 'urlSigner', { urlSigner: undefined }],
  ['createRegistryApp', 'urlSigner.verify', { urlSigner: { sign: () => '' } }],
  ['createRegistryApp', 'peerAddress', { peerAddress: undefined }],
  ['createRegistryPage', 'registry', { registry: undefined }],
  ['createRegistryPage', 'registry.open', { registry: {} }],
  ['createRegistryPage', 'crypto', { crypto: undefined }],
  ['createRegistryPage', 'crypto.seal', { crypto: {} }],
  ['createRegistryPage', 'peerAddress', { peerAddress: undefined }],
])('%s names options.%s, and what to pass', (creator, name, slip) => {
  expect(() => create(creator, slip)).toThrow(TypeError);
  expect(() => create(creator, slip)).toThrow(`${creator}: options.${name} is missing; pass `);
});

it.each<Creator>(['createAuthApp', 'createHttpApp', 'createRegistryApp', 'createRegistryPage'])(
  '%s takes what is whole',
  (creator) => {
    expect(create(creator, {})).toHaveProperty('fetch');
  },
);

it('names an option that is not a function', () => {
  expect(() => create('createAuthApp', { peerAddress: '10.0.0.1' })).toThrow(
    'createAuthApp: options.peerAddress is not a function; pass ',
  );
});
