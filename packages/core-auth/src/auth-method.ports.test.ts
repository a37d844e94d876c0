/** What `createAuthMethod` does not get, it names: no port is missed only at the first login. */
import { createNodeCrypto } from '@postern/crypto-node';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { expect, it } from 'vitest';
import { checkPorts, createAuthMethod } from './auth-method.js';
import type { AuthPorts } from './options.js';

const { callerIdentity: _none, ...cloud } = createFakeCloud({ clock: { now: () => 0 } });
const ports: AuthPorts = {
  storage: createMemoryStorage(),
  crypto: createNodeCrypto(),
  cloud,
  audit: { record: () => undefined },
};

/** A storage that lacks a method. */
function without(method: string): object {
  return Object.defineProperty(createMemoryStorage(), method, { value: undefined });
}

it.each([
  ['storage', { storage: undefined }],
  ['storage.listExpired', { storage: without('listExpired') }],
  ['clock.now', { clock: {} }],
  ['crypto', { crypto: undefined }],
  ['crypto.seal', { crypto: { ...ports.crypto, seal: undefined } }],
  ['cloud', { cloud: undefined }],
  ['cloud.describeInstance', { cloud: { ...cloud, describeInstance: undefined } }],
  ['cloud.callerIdentity.send', { cloud: { ...cloud, callerIdentity: {} } }],
  ['cloud.accessKeys.prove', { cloud: { ...cloud, accessKeys: { create() {} } } }],
  ['audit', { audit: undefined }],
  ['authorizer.isAllowed', { authorizer: {} }],
  ['tokenIssuer.mint', { tokenIssuer: {} }],
])('names %s, and what to pass', (name, slip) => {
  // What the types forbid, a program in JavaScript may pass.
  const given = { ...ports, ...slip } as unknown as AuthPorts;
  expect(() => createAuthMethod(given)).toThrow(TypeError);
  expect(() => createAuthMethod(given)).toThrow(`createAuthMethod: ${name} is missing; pass `);
});

it('takes the clock of the machine where it gets none', () => {
  const before = Date.now();
  expect(checkPorts(ports).clock.now()).toBeGreaterThanOrEqual(before);
});
