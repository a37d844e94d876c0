/** What `createRegistry` does not get, it names: no port is missed only at the first request. */
import { createMemoryStorage } from '@postern/storage-memory';
import { createFixedRegistryAuthorizer, createManualClock, createMemoryCatalogue } from '@postern/testkit';
import { expect, it } from 'vitest';
import type { RegistryPorts } from './context.js';
import { createRegistry } from './create-registry.js';

const ports: RegistryPorts = {
  storage: createMemoryStorage(),
  clock: createManualClock(0),
  catalogue: createMemoryCatalogue(),
  authorizer: createFixedRegistryAuthorizer([]),
  audit: { record: () => undefined },
};

it.each([
  ['storage', { storage: undefined }],
  ['storage.get', { storage: {} }],
  ['clock', { clock: undefined }],
  ['clock.now', { clock: {} }],
  ['catalogue', { catalogue: undefined }],
  ['catalogue.archive', { catalogue: { ...ports.catalogue, archive: undefined } }],
  ['publisher.delete', { publisher: { publish() {} } }],
  ['authorizer', { authorizer: undefined }],
  ['authorizer.readableNamespaces', { authorizer: { identify() {}, isAllowed() {} } }],
  ['audit', { audit: undefined }],
  ['audit.record', { audit: {} }],
  ['events.publish', { events: {} }],
])('names %s, and what to pass', (name, slip) => {
  // What the types forbid, a program in JavaScript may pass.
  const given = { ...ports, ...slip } as unknown as RegistryPorts;
  expect(() => createRegistry(given)).toThrow(TypeError);
  expect(() => createRegistry(given)).toThrow(`createRegistry: ${name} is missing; pass `);
});

it('works without a publisher and without events', () => {
  expect(() => createRegistry(ports)).not.toThrow();
});
