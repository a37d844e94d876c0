/** Namespaces: each once, in byte order, while it has a module. */
import { createMemoryStorage } from '@postern/storage-memory';
import { createFaultStorage } from '@postern/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf, moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';

const used: SetUp[] = [];
afterEach(() => {
  for (const each of used.splice(0)) each.remove();
});

describe('the namespaces of a catalogue', () => {
  it('are those that have a module, however many, in byte order', async () => {
    const made = setUp();
    used.push(made);
    expect(await made.catalogue.namespaces()).toEqual([]);
    const names = ['acme-x', 'acme', 'Beta', 'a', 'acme_x', 'acme0'];
    for (const namespace of names) {
      for (const name of ['network', 'zebra', 'a']) {
        await made.publish(moduleArchive(), { version: { ...NETWORK, namespace, name } });
      }
    }
    expect(await made.catalogue.namespaces()).toEqual([...names].sort());
    for (const name of ['network', 'zebra', 'a']) {
      await made.catalogue.delete({ ...NETWORK, namespace: 'acme', name });
    }
    expect(await made.catalogue.namespaces()).toEqual(names.filter((name) => name !== 'acme').sort());
  });

  it('cannot be told while storage fails', async () => {
    const storage = createFaultStorage(createMemoryStorage());
    const made = setUp({ storage });
    used.push(made);
    storage.failNextRead('unavailable');
    expect(await failureOf(made.catalogue.namespaces())).toMatchObject({ name: 'ProviderError', code: 'unavailable' });
  });
});
