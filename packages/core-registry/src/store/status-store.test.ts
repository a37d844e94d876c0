/** Records of statuses and histories that a newer version wrote (STORE-5): refused, kept, never half-read. */
import { NewerRecordError, RECORD_FORMAT } from '@postern/kernel';
import { ProviderError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { expect, it } from 'vitest';
import { MODULE, V1 } from '../../test/create-test-registry.js';
import { toRegistryError } from '../to-registry-error.js';
import { createStatusStore, NO_STATUS } from './status-store.js';

const KEY = 'p/acme/status/network/aws/1.0.0';

it.each([
  ['newer', { seq: 1, state: 'active', deprecation: null, revocation: null, v: RECORD_FORMAT + 1 }],
  ['newer', { seq: 1, state: 'active', deprecation: null, revocation: null, quarantine: {} }],
  ['corrupt', { seq: 1 }],
])('O3: a status that is %s is not read: %j', async (why, record) => {
  const storage = createMemoryStorage();
  const store = createStatusStore(storage, 'p/', () => RECORD_FORMAT);
  await storage.commit([{ type: 'put', key: KEY, value: JSON.stringify(record), if: 'any' }]);
  const code = why === 'newer' ? 'record_newer' : 'internal';
  await expect(store.read(V1)).rejects.toMatchObject({ code });
  await expect(store.readModule(MODULE, new Map())).rejects.toMatchObject({ code });
  await expect(store.readMany([V1])).rejects.toMatchObject({ code });
});

it('O3: writes carry the format that the host asks for, and read back', async () => {
  const storage = createMemoryStorage();
  const store = createStatusStore(storage, 'p/', () => 1);
  await storage.commit(store.touch(V1, { record: NO_STATUS, version: undefined }));
  expect((await storage.get(KEY))?.value).toMatch(/"v":1}$/);
  expect((await store.read(V1)).record).toEqual(NO_STATUS);
});

it('O3: a record of the catalogue that is newer is told apart from a catalogue that is down', () => {
  const newer = new ProviderError('unavailable', 'x', { cause: new NewerRecordError('catalogue/version/x') });
  expect(toRegistryError(newer, undefined)).toMatchObject({ code: 'record_newer', kind: 'unavailable' });
  expect(toRegistryError(new ProviderError('unavailable', 'x'), undefined).code).toBe('provider_unavailable');
});
