/** A notice belongs to the bytes that it was written about: never to what is published under their number later (PUBLISH-4). */
import type { ModuleVersionAddress } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, errorOf, type TestRegistry, V1 } from '../../test/create-test-registry.js';
import { createRegistry } from '../create-registry.js';

async function* content() {
  yield new Uint8Array([1]);
}

const publish = ({ registry, manager }: TestRegistry) => registry.open(manager()).publish(V1, { content: content() });

/** Another process on the same storage and catalogue. */
function besides({ memory, clock, catalogue, authorizer }: TestRegistry) {
  const publisher = {
    publish: async ({ version, owner }: { version: ModuleVersionAddress; owner: string }) =>
      catalogue.add({ address: version, owner }),
    delete: async (version: ModuleVersionAddress) => catalogue.remove(version),
  };
  const audit = { record: () => undefined };
  return createRegistry({ storage: memory, clock, catalogue, publisher, authorizer, audit });
}

/** Does something once, between a command's first look at the catalogue and all that it does after. */
function onceSeen(test: TestRegistry, meanwhile: () => Promise<unknown>): void {
  const { catalogue } = test;
  const versions = catalogue.versions.bind(catalogue);
  catalogue.versions = async (...asked) => {
    const answer = await versions(...asked);
    catalogue.versions = versions;
    await meanwhile();
    return answer;
  };
  const hasVersion = catalogue.hasVersion.bind(catalogue);
  catalogue.hasVersion = async (...asked) => {
    const answer = await hasVersion(...asked);
    catalogue.hasVersion = hasVersion;
    await meanwhile();
    return answer;
  };
}

/** Does something once, between a command's last reading and its commit. */
function onceDecided({ storage }: TestRegistry, meanwhile: () => Promise<unknown>): void {
  const commit = storage.commit.bind(storage);
  storage.commit = async (...asked) => {
    storage.commit = commit;
    await meanwhile();
    return commit(...asked);
  };
}

const COMMANDS: readonly [string, (test: TestRegistry) => Promise<unknown>][] = [
  ['deprecating', ({ registry, manager }) => registry.open(manager()).deprecate(V1, { reason: 'of the old bytes' })],
  [
    'a range',
    ({ registry, manager }) =>
      registry.open(manager()).deprecateRange(V1, { range: '= 1.0.0', dryRun: false, reason: 'of the old bytes' }),
  ],
];

describe.each(COMMANDS)('%s a version that is deleted meanwhile', (name, run) => {
  it.each([
    ['in this process', (test: TestRegistry) => test.registry],
    ['in another process', besides],
  ])('%s leaves no notice to the next publication of that number', async (_where, deleterOf) => {
    const test = createTestRegistry();
    const { registry, reader, manager } = test;
    let isDone = false;
    onceSeen(test, async () => {
      if (isDone) return;
      isDone = true;
      await deleterOf(test).open(manager()).delete(V1);
    });
    if (name === 'deprecating') expect(await errorOf(run(test))).toMatchObject({ code: 'not_found' });
    else expect(await run(test)).toMatchObject({ complete: true, changes: [] });
    expect(test.published).toEqual([]);
    await publish(test);
    expect(await registry.open(reader()).status(V1)).toMatchObject({ state: 'active', deprecation: null });
    expect((await registry.open(reader()).history(V1)).entries).toEqual([]);
  });

  it('in another process, at the last moment, leaves none either', async () => {
    const test = createTestRegistry();
    const { registry, reader, manager } = test;
    onceDecided(test, () => besides(test).open(manager()).delete(V1));
    await run(test).catch(() => undefined);
    // No cleaning up by a publisher: nothing was left.
    test.catalogue.add({ address: V1 });
    expect(await registry.open(reader()).status(V1)).toMatchObject({ state: 'active', deprecation: null });
  });
});

describe('a range of which one version is deleted meanwhile', () => {
  it('deprecates the others', async () => {
    const test = createTestRegistry();
    const { registry, manager } = test;
    onceSeen(test, () => registry.open(manager()).delete({ ...V1, version: '1.1.0' }));
    const done = await registry.open(manager()).deprecateRange(V1, { range: '>= 1.0.0', dryRun: false });
    expect(done.complete).toBe(true);
    expect(done.changes.map(({ version, outcome }) => `${version} ${outcome}`)).toEqual(['1.0.0 done', '2.0.0 done']);
  });
});

describe('an upload', () => {
  it('that was begun while the old version stood, and ends after a deletion that ended half-way, starts afresh', async () => {
    const test = createTestRegistry();
    const { registry, manager, reader, storage } = test;
    await registry.open(manager()).deprecate(V1, { reason: 'old' });
    async function* slow() {
      yield new Uint8Array([1]);
      storage.failNextCommit('unavailable');
      expect(await errorOf(registry.open(manager()).delete(V1))).toMatchObject({ code: 'storage_unavailable' });
    }
    await registry.open(manager()).publish(V1, { content: slow() });
    expect(await registry.open(reader()).status(V1)).toMatchObject({ state: 'active', deprecation: null });
  });

  it('is visible before a command upon it that came when all bytes were there', async () => {
    let deprecated: Promise<unknown> | undefined;
    const test: TestRegistry = createTestRegistry({
      versions: ['2.0.0'],
      publisher: {
        async publish({ version, owner, content: bytes }) {
          for await (const _chunk of bytes);
          const added = test.catalogue.add({ address: version, owner });
          // Seen by others, and not yet acknowledged.
          deprecated = test.registry.open(test.manager()).deprecate(V1, { reason: 'of the new bytes' });
          await new Promise((resolve) => setTimeout(resolve, 5));
          expect(test.published).toEqual([]);
          return added;
        },
      },
    });
    await publish(test);
    expect(await deprecated).toMatchObject({ changed: true });
  });

  it('that fails lets the next one on', async () => {
    const test = createTestRegistry();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array([1]);
      throw new TypeError('the client went away');
    }
    const { registry, manager } = test;
    const version = { ...V1, version: '3.0.0' };
    expect(await errorOf(registry.open(manager()).publish(version, { content: broken() }))).toMatchObject({
      code: 'internal',
    });
    const faults = [registry.open(manager()).publish(version, { content: content() })];
    test.catalogue.failNext();
    await Promise.allSettled(faults);
    await registry.open(manager()).publish(version, { content: content() });
    expect((await registry.open(manager()).deprecate(version, {})).changed).toBe(true);
  });
});

describe('a read', () => {
  it('during which a version is deleted and published again does not show it with the notice of before', async () => {
    const test = createTestRegistry();
    const { registry, manager, reader, catalogue } = test;
    const again = async () => {
      await registry.open(manager()).deprecate(V1, { reason: 'old' });
      await registry.open(reader()).status(V1);
      return async () => {
        await registry.open(manager()).delete(V1);
        await publish(test);
      };
    };
    const versions = catalogue.versions.bind(catalogue);
    let renew = await again();
    catalogue.versions = async (...asked) => {
      catalogue.versions = versions;
      await renew();
      return versions(...asked);
    };
    const list = await registry.open(reader()).listVersions(V1);
    expect(list.versions.map(({ status }) => status.state)).toEqual(['active', 'active', 'active']);

    renew = await again();
    const details = catalogue.details.bind(catalogue);
    catalogue.details = async (...asked) => {
      catalogue.details = details;
      await renew();
      return details(...asked);
    };
    expect((await registry.open(reader()).readVersion(V1)).status.state).toBe('active');
  });
});
