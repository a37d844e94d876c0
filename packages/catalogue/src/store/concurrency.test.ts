/** Publishers and deleters at once, of the same versions and of the same bytes, in one process and in several. */

import { createMemoryStorage } from '@postern/storage-memory';
import { createFaultStorage } from '@postern/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { expectSound, sweepLater } from '../../test/expect-sound.js';
import { failureOf, inChunks, moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';
import { createHostedCatalogue } from '../hosted-catalogue.js';

const used: SetUp[] = [];
/** Every call yields to the others at random places, the same for the same seed. */
const start = (seed: number): SetUp => {
  const made = setUp({ storage: createFaultStorage(createMemoryStorage(), { seed, maxYields: 3 }) });
  used.push(made);
  return made;
};
afterEach(() => {
  for (const each of used.splice(0)) each.remove();
});
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const version = (index: number) => ({ ...NETWORK, version: `1.${index}.0` });

describe.each([1, 2, 3])('at once (seed %s)', (seed) => {
  it('of 20 publications of a version with different bytes one wins, and the others leave nothing', async () => {
    const made = start(seed);
    const outcomes = await Promise.all(numbers(20).map((index) => failureOf(made.publish(moduleArchive(`v${index}`)))));
    expect(outcomes.filter((outcome) => !(outcome instanceof Error))).toHaveLength(1);
    for (const outcome of outcomes.filter((each) => each instanceof Error)) {
      expect(outcome).toMatchObject({ code: 'version_exists' });
    }
    expect(await expectSound(made)).toEqual(['1.0.0']);
    expect((await made.blobs.list({ limit: 99 })).digests).toHaveLength(1);
    await made.catalogue.delete(NETWORK);
    expect(await made.leftovers()).toEqual([]);
  });

  it('20 publications of a version with the same bytes all succeed, as one', async () => {
    const made = start(seed);
    const published = await Promise.all(
      numbers(20).map((index) => made.publish(moduleArchive(), { owner: `o${index}` })),
    );
    expect(new Set(published.map(({ owner }) => owner)).size).toBe(1);
    await made.catalogue.delete(NETWORK);
    expect(await made.leftovers()).toEqual([]);
  });

  it('20 versions of the same bytes are published, and deleted, and nothing stays', async () => {
    const made = start(seed);
    await Promise.all(numbers(20).map((index) => made.publish(moduleArchive(), { version: version(index) })));
    expect(await expectSound(made)).toHaveLength(20);
    expect((await made.blobs.list({ limit: 99 })).digests).toHaveLength(1);
    expect(await Promise.all(numbers(20).map((index) => made.catalogue.delete(version(index))))).not.toContain(false);
    expect(await made.leftovers()).toEqual([]);
  });

  it('one of 10 deletions of a version did it', async () => {
    const made = start(seed);
    await made.publish(moduleArchive());
    const outcomes = await Promise.all(numbers(10).map(() => made.catalogue.delete(NETWORK)));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await made.leftovers()).toEqual([]);
  });

  it('publications and deletions of few bytes under few versions by two processes keep every version whole', async () => {
    const made = start(seed);
    const second = createHostedCatalogue({ storage: made.storage, blobs: made.blobs, clock: made.clock });
    const isExpected = (outcome: unknown) =>
      !(outcome instanceof Error) ||
      ('code' in outcome && ['version_exists', 'unavailable'].includes(String(outcome.code)));
    for (let round = 0; round < 6; round += 1) {
      const calls = numbers(12).map((index) => {
        const catalogue = index % 2 === 0 ? made.catalogue : second;
        const address = version((index * 7 + round) % 3);
        const content = inChunks(moduleArchive(`b${(index * 5 + round + seed) % 2}`));
        if ((index + round) % 3 === 0) return failureOf(catalogue.delete(address));
        if ((index + round) % 11 === 0) return failureOf(catalogue.sweepUnreferenced({ minimumAgeMs: 1 }));
        return failureOf(catalogue.publish({ version: address, owner: 'ci', content }));
      });
      for (const outcome of await Promise.all(calls)) expect(isExpected(outcome), String(outcome)).toBe(true);
      await expectSound(made);
      made.clock.advance(10);
    }
    for (const index of numbers(3)) await made.catalogue.delete(version(index));
    await sweepLater(made);
    expect(await made.leftovers()).toEqual([]);
  });

  it('with a storage that loses answers and refuses at random, versions are whole or absent', async () => {
    const faulty = createFaultStorage(createMemoryStorage(), {
      seed,
      maxYields: 2,
      commits: { conflict: 0.1, unavailable: 0.05, lost_unknown: 0.05, applied_unknown: 0.05, duplicate: 0.05 },
      reads: { unavailable: 0.02 },
    });
    const made = setUp({ storage: faulty });
    used.push(made);
    const acknowledged = new Set<string>();
    await Promise.all(
      numbers(30).map(async (index) => {
        const outcome = await failureOf(made.publish(moduleArchive(`b${index % 4}`), { version: version(index) }));
        if (!(outcome instanceof Error)) acknowledged.add(version(index).version);
        else expect(outcome).toMatchObject({ code: 'unavailable' });
      }),
    );
    expect(acknowledged.size).toBeGreaterThan(5);
    // Judged through a storage that works.
    const sound = { ...made, catalogue: createHostedCatalogue({ ...made, storage: innerOf(made) }) };
    expect(await expectSound({ ...sound, storage: innerOf(made) })).toEqual(expect.arrayContaining([...acknowledged]));
  });
});

/** The storage of a set-up with its reads repeated until they succeed: what it really holds. */
function innerOf(made: SetUp): SetUp['storage'] {
  const again = async <T>(call: () => Promise<T>): Promise<T> => {
    for (;;) {
      const outcome = await call().then(
        (value) => ({ value }),
        () => undefined,
      );
      if (outcome !== undefined) return outcome.value;
    }
  };
  const { storage } = made;
  return {
    ...storage,
    get: (key) => again(() => storage.get(key)),
    getMany: (keys) => again(() => storage.getMany(keys)),
    list: (prefix, query) => again(() => storage.list(prefix, query)),
    listExpired: (prefix, before, query) => again(() => storage.listExpired(prefix, before, query)),
    commit: (operations) => storage.commit(operations),
    close: () => storage.close(),
  };
}
