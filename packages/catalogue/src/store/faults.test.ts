/** Storage and blobs failing, and the process dying, at every single call of a publication and of a deletion. */
import { RECORD_FORMAT } from '@postern/kernel';
import { describe, expect, it } from 'vitest';
import { expectSound, sweepLater } from '../../test/expect-sound.js';
import { type FailureKind, failingPorts } from '../../test/failing-ports.js';
import { failureOf, inChunks, moduleArchive, NETWORK, setUp } from '../../test/set-up.js';
import { createHostedCatalogue, type HostedCatalogue } from '../hosted-catalogue.js';

const KINDS: readonly FailureKind[] = ['unavailable', 'answer_lost', 'killed_before', 'killed_after'];
const other = { ...NETWORK, version: '2.0.0' };

type Work = (catalogue: HostedCatalogue) => Promise<unknown>;

const publish =
  (version = NETWORK, text = 'x'): Work =>
  (catalogue) =>
    catalogue.publish({ version, owner: 'ci', content: inChunks(moduleArchive(text)) });

const CASES: readonly (readonly [string, Work | undefined, Work])[] = [
  ['the first publication', undefined, publish()],
  ['a second version', publish(other, 'y'), publish()],
  ['a version of the same bytes', publish(other, 'x'), publish()],
  ['the deletion of the only version', publish(), (catalogue) => catalogue.delete(NETWORK)],
  [
    'the deletion of one of two versions of the same bytes',
    async (catalogue) => {
      await publish()(catalogue);
      await publish(other)(catalogue);
    },
    (catalogue) => catalogue.delete(NETWORK),
  ],
];

describe.each(CASES)('%s', (name, before, work) => {
  it.each(KINDS)(
    'failing with %s at any call leaves every version whole or absent, and nothing else for long',
    async (kind) => {
      const isDeletion = name.startsWith('the deletion');
      let calls = Number.POSITIVE_INFINITY;
      for (let at = 1; at <= calls; at += 1) {
        const made = setUp();
        await before?.(made.catalogue);
        const had = await expectSound(made);
        const failing = failingPorts(made, at, kind);
        const catalogue = createHostedCatalogue({ ...failing, clock: made.clock });
        const outcome = await failureOf(work(catalogue));
        if (failing.calls() < at) calls = failing.calls();
        if (outcome instanceof Error) {
          expect(outcome).toMatchObject({ name: 'ProviderError', code: 'unavailable' });
        }

        const has = await expectSound(made);
        const changed = isDeletion ? had.filter((each) => each !== NETWORK.version) : [...had, NETWORK.version];
        if (!(outcome instanceof Error)) expect([...has].sort()).toEqual([...changed].sort());
        else expect([[...had].sort(), [...changed].sort()]).toContainEqual([...has].sort());

        // Long after: what is kept is what versions need, the same work succeeds, and deletion leaves nothing.
        await sweepLater(made);
        expect(await expectSound(made)).toEqual(has);
        const digests = new Set<string>();
        for (const version of has)
          digests.add((await made.catalogue.details({ ...NETWORK, version }))?.archive.digest ?? '');
        expect((await made.blobs.list({ limit: 10 })).digests).toEqual([...digests].sort());
        await work(made.catalogue);
        expect([...(await expectSound(made))].sort()).toEqual([...changed].sort());
        for (const version of [NETWORK, other]) await made.catalogue.delete(version);
        expect(await made.leftovers()).toEqual([]);
        made.remove();
      }
      expect(calls).toBeGreaterThanOrEqual(3);
    },
  );
});

it('says unavailable of every read that storage or blobs fail', async () => {
  const made = setUp();
  await made.publish(moduleArchive());
  const reads: readonly Work[] = [
    (catalogue) => catalogue.hasVersion(NETWORK),
    (catalogue) => catalogue.details(NETWORK),
    (catalogue) => catalogue.archive(NETWORK),
    (catalogue) => catalogue.versions(NETWORK),
    (catalogue) => catalogue.listModules({ namespace: 'acme', limit: 5 }),
    (catalogue) => catalogue.sweepUnreferenced(),
  ];
  for (const read of reads) {
    for (const at of [1, 2]) {
      const failing = failingPorts(made, at, 'unavailable');
      const outcome = await failureOf(read(createHostedCatalogue({ ...failing, clock: made.clock })));
      if (failing.calls() >= at) expect(outcome).toMatchObject({ name: 'ProviderError', code: 'unavailable' });
    }
  }
  made.remove();
});

it('says unavailable, not absent, of a version whose archive or records are lost or damaged', async () => {
  const made = setUp();
  const { archive } = await made.publish(moduleArchive());
  await made.blobs.delete(archive.digest);
  expect(await failureOf(made.catalogue.archive(NETWORK))).toMatchObject({ code: 'unavailable' });
  const [part] = (await made.storage.list('catalogue/part/', { limit: 1 })).items;
  const key = part?.key ?? '';
  await made.storage.commit([{ type: 'put', key, value: '{', if: 'present' }]);
  expect(await failureOf(made.catalogue.details(NETWORK))).toMatchObject({ code: 'unavailable' });
  await made.storage.commit([{ type: 'delete', key, if: 'present' }]);
  expect(await failureOf(made.catalogue.details(NETWORK))).toMatchObject({ code: 'unavailable' });
  for (const value of ['{', 'null', '[]']) {
    const version = (await made.storage.list('catalogue/version/', { limit: 1 })).items[0]?.key ?? '';
    await made.storage.commit([{ type: 'put', key: version, value, if: 'present' }]);
    expect(await failureOf(made.catalogue.hasVersion(NETWORK))).toMatchObject({ code: 'unavailable' });
  }
  made.remove();
});

it.each([{ form: 2 }, { v: RECORD_FORMAT + 1 }, { quarantined: true }])(
  'O3: refuses a record of a newer version, and deletes nothing of it: %j',
  async (change) => {
    const made = setUp();
    const { archive } = await made.publish(moduleArchive());
    for (const kind of ['version', 'blob', 'module', 'summary']) {
      const { key, record } =
        (await made.storage.list(`catalogue/${kind}/`, { limit: 1, values: true })).items[0] ?? {};
      const value = JSON.stringify({ ...JSON.parse(record?.value ?? ''), ...change });
      await made.storage.commit([{ type: 'put', key: key ?? '', value, if: 'present' }]);
    }
    const newer = { code: 'unavailable', cause: { code: 'record_newer' } };
    expect(await failureOf(made.catalogue.hasVersion(NETWORK))).toMatchObject(newer);
    expect(await failureOf(made.catalogue.versions(NETWORK))).toMatchObject(newer);
    expect(await failureOf(made.catalogue.delete(NETWORK))).toMatchObject(newer);
    expect(await made.catalogue.sweepUnreferenced({ minimumAgeMs: 0 })).toMatchObject({ removed: 0, failed: 1 });
    expect(await made.blobs.open(archive.digest)).toBeDefined();
    made.remove();
  },
);
