/** How much an organization may keep (PUBLISH-8). */
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf, inChunks, moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';
import type { Quota } from './records.js';

const open: SetUp[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.remove();
});

function withQuota(quota: Quota, beside?: SetUp): SetUp {
  const made = setUp({ quota, storage: beside?.storage, blobs: beside?.blobs });
  open.push(made);
  return made;
}

const version = (text: string) => ({ ...NETWORK, version: text });
const publish = ({ catalogue }: SetUp, text: string, content = moduleArchive(text.replaceAll('.', '_'))) =>
  catalogue.publish({ version: version(text), owner: 'ci', content: inChunks(content) });
const exceeded = (message: string) => expect.objectContaining({ code: 'quota_exceeded', message });
const usageOf = async ({ storage }: SetUp) => {
  const stored = await storage.get('catalogue/usage/acme');
  if (stored === undefined) return undefined;
  const { versions, bytes } = JSON.parse(stored.value);
  return { versions, bytes };
};

describe('a quota of versions', () => {
  it('is refused beyond with limit and usage, and what is deleted makes room', async () => {
    const made = withQuota({ versions: 2 });
    await publish(made, '1.0.0');
    await publish(made, '1.1.0');
    expect(await failureOf(publish(made, '1.2.0'))).toEqual(
      exceeded('the organization acme has 2 of 2 versions: delete versions, or ask the operator for a higher quota'),
    );
    await made.catalogue.delete(version('1.0.0'));
    await publish(made, '1.2.0');
    expect((await usageOf(made))?.versions).toBe(2);
  });

  it('is refused before a byte of the upload is read', async () => {
    const made = withQuota({ versions: 0 });
    let isRead = false;
    async function* content() {
      isRead = true;
      yield moduleArchive();
    }
    const published = made.catalogue.publish({ version: NETWORK, owner: 'ci', content: content() });
    expect(await failureOf(published)).toMatchObject({ code: 'quota_exceeded' });
    expect(isRead).toBe(false);
  });

  it('lets the same upload of a version that is there succeed', async () => {
    const made = withQuota({ versions: 1 });
    const first = await publish(made, '1.0.0');
    expect(await publish(made, '1.0.0')).toEqual(first);
  });

  it('is not passed by uploads at the same time, through two processes', async () => {
    const made = withQuota({ versions: 3 });
    const other = withQuota({ versions: 3 }, made);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) => failureOf(publish(at % 2 === 0 ? made : other, `${at}.0.0`))),
    );
    expect(outcomes.filter((outcome) => outcome instanceof Error)).toHaveLength(7);
    expect(await made.catalogue.versions(NETWORK)).toHaveLength(3);
    expect((await usageOf(made))?.versions).toBe(3);
    // Nothing is left of what was refused.
    expect((await made.blobs.list({ limit: 100 })).digests).toHaveLength(3);
  });

  it('is of each organization, and one that is named has its own instead', async () => {
    const made = withQuota({ versions: 1, organizations: { acme: { bytes: 1_000_000 } } });
    for (const text of ['1.0.0', '1.1.0']) await publish(made, text);
    const elsewhere = (text: string) =>
      made.catalogue.publish({
        version: { ...version(text), namespace: 'other' },
        owner: 'ci',
        content: inChunks(moduleArchive()),
      });
    await elsewhere('1.0.0');
    expect(await failureOf(elsewhere('1.1.0'))).toMatchObject({ code: 'quota_exceeded' });
  });
});

describe('a quota of bytes', () => {
  it('counts archives as they are served, one of bytes that are there already too', async () => {
    const unbounded = withQuota({});
    const { archive } = await publish(unbounded, '1.0.0');
    const made = withQuota({ bytes: 2 * archive.sizeBytes + 1 });
    await publish(made, '1.0.0', moduleArchive('1_0_0'));
    await publish(made, '1.1.0', moduleArchive('1_0_0'));
    const refused = await failureOf(publish(made, '1.2.0', moduleArchive('1_0_0')));
    expect(refused).toEqual(
      exceeded(
        `the organization acme keeps ${2 * archive.sizeBytes} of ${2 * archive.sizeBytes + 1} bytes, and this archive has ${archive.sizeBytes}: ` +
          'delete versions, or ask the operator for a higher quota',
      ),
    );
    expect(await usageOf(made)).toEqual({ versions: 2, bytes: 2 * archive.sizeBytes });
  });

  it('that is used up is refused before the upload, of whose size nothing is known then', async () => {
    expect(await failureOf(publish(withQuota({ bytes: 0 }), '1.0.0'))).toEqual(
      exceeded('the organization acme keeps 0 of 0 bytes: delete versions, or ask the operator for a higher quota'),
    );
  });
});

describe('the count', () => {
  it('is made from the versions where an earlier release kept none, by a publication and by a deletion', async () => {
    const made = withQuota({ versions: 2 });
    await publish(made, '1.0.0');
    await publish(made, '1.1.0');
    const forget = () => made.storage.commit([{ type: 'delete', key: 'catalogue/usage/acme', if: 'present' }]);
    await forget();
    expect(await failureOf(publish(made, '1.2.0'))).toMatchObject({ code: 'quota_exceeded' });
    await made.catalogue.delete(version('1.0.0'));
    expect((await usageOf(made))?.versions).toBe(1);
    await forget();
    await made.catalogue.delete(version('1.1.0'));
    expect(await made.leftovers()).toEqual([]);
  });

  it('is mended by a sweep where an earlier release published beside', async () => {
    const made = withQuota({});
    await publish(made, '1.0.0');
    const right = await usageOf(made);
    const key = 'catalogue/usage/acme';
    const wrong = (await made.storage.get(key))?.value.replace('"versions":1', '"versions":7') ?? '';
    await made.storage.commit([{ type: 'put', key, value: wrong, if: 'present' }]);
    await made.catalogue.sweepUnreferenced();
    expect(await usageOf(made)).toEqual(right);
    await made.catalogue.delete(version('1.0.0'));
    await made.storage.commit([{ type: 'put', key, value: wrong, if: 'any' }]);
    await made.catalogue.sweepUnreferenced();
    expect(await made.leftovers()).toEqual([]);
  });
});

it.each<[string, Quota]>([
  ['quota.versions', { versions: 0.5 }],
  ['quota.bytes', { bytes: -1 }],
  ['quota.organizations.acme.bytes', { organizations: { acme: { bytes: Number.NaN } } }],
])('%s that is no whole number is refused', (name, quota) => {
  expect(() => setUp({ quota })).toThrow(new TypeError(`${name}: must be a whole number`));
});
