/** A number that was published is taken for ever: under it only the same bytes return (PUBLISH-5). */
import type { ModuleVersionAddress } from '@postern/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf, moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';
import { tarGz } from '../../test/tar-writer.js';

let made: SetUp;
beforeEach(() => {
  made = setUp();
});
afterEach(() => made.remove());

const publish = (address: Partial<ModuleVersionAddress>, text = 'x') =>
  made.publish(moduleArchive(text), { version: { ...NETWORK, ...address } });
const refused = (message: RegExp): object => ({ code: 'version_exists', message: expect.stringMatching(message) });
const keysOf = async (prefix: string): Promise<readonly string[]> =>
  (await made.storage.list(prefix, { limit: 99 })).items.map(({ key }) => key);

/** As an earlier release left it. */
async function forgetNumbers(): Promise<void> {
  const keys = [...(await keysOf('catalogue/taken/')), ...(await keysOf('catalogue/spelling/'))];
  await made.storage.commit(keys.map((key) => ({ type: 'delete', key, if: 'present' }) as const));
}

describe.each([
  ['', async (): Promise<void> => undefined],
  [', published by an earlier release', forgetNumbers],
] as const)('a deleted number%s', (_when, asPublished) => {
  it('R-B10: takes the same bytes again, and no others', async () => {
    await publish({}, 'one');
    await asPublished();
    await made.catalogue.delete(NETWORK);
    expect(await failureOf(publish({}, 'two'))).toMatchObject(refused(/other content: raise the version$/));
    expect(await made.catalogue.hasVersion(NETWORK)).toBe(false);
    expect(await made.leftovers()).toEqual([]);
    await publish({}, 'one');
    expect((await made.catalogue.details(NETWORK))?.root.inputs[0]?.name).toBe('one');
  });

  it('is not free under other build metadata either', async () => {
    await publish({ version: '1.0.0+a' }, 'one');
    await asPublished();
    await made.catalogue.delete({ ...NETWORK, version: '1.0.0+a' });
    for (const version of ['1.0.0', '1.0.0+b']) {
      expect(await failureOf(publish({ version }, 'one'))).toMatchObject(refused(/published as 1\.0\.0\+a/));
    }
    await publish({ version: '1.0.0+a' }, 'one');
  });
});

describe.each([
  ['', async (): Promise<void> => undefined],
  [' of an earlier release', forgetNumbers],
] as const)('a published number%s', (_when, asPublished) => {
  it.each([
    ['6.6.0', '6.6.0+build.5'],
    ['6.6.0+build.5', '6.6.0'],
    ['6.6.0+build.5', '6.6.0+build.6'],
  ])('R-B9: %s is the same as %s', async (first, second) => {
    await publish({ version: first });
    await asPublished();
    expect(await failureOf(publish({ version: second }))).toMatchObject(refused(/build metadata alone are one/));
    await publish({ version: '6.6.1' });
    await publish({ version: first });
    expect(await made.catalogue.versions(NETWORK)).toHaveLength(2);
  });

  it('R-B9: is of one module, in whichever case that is written', async () => {
    await publish({ name: 'vpc' });
    await asPublished();
    for (const [name, version] of [
      ['VPC', '1.0.0'],
      ['Vpc', '2.0.0'],
    ] as const) {
      expect(await failureOf(publish({ name, version }))).toMatchObject(refused(/published as acme\/vpc\/aws/));
    }
    await publish({ name: 'vpc', version: '2.0.0' });
    await publish({ name: 'vpc', provider: 'gcp' });
    await publish({ name: 'vpc2' });
    expect((await made.catalogue.listModules({ namespace: 'acme', limit: 9 })).modules).toHaveLength(3);
  });
});

it('the spelling of a module stays when all its versions are deleted', async () => {
  await publish({ name: 'vpc' });
  await made.catalogue.delete({ ...NETWORK, name: 'vpc' });
  expect(await failureOf(publish({ name: 'VPC', version: '2.0.0' }))).toMatchObject(refused(/acme\/vpc\/aws/));
  expect(await failureOf(publish({ namespace: 'ACME', name: 'vpc' }))).toMatchObject(refused(/acme\/vpc\/aws/));
  await publish({ name: 'vpc', version: '2.0.0' });
});

it('another upload of the same files is the same: what is served is packed again', async () => {
  const files = [{ name: 'main.tf', content: 'variable "x" {}\n' }];
  const { archive } = await made.publish(tarGz(files.map((file) => ({ ...file, mode: 0o600 }))));
  await made.catalogue.delete(NETWORK);
  const again = await made.publish(tarGz(files.map((file) => ({ ...file, mode: 0o640 }))));
  expect(again.archive).toEqual(archive);
});

it('of two publications at once under one number one wins', async () => {
  const outcomes = await Promise.all(
    ['1.0.0', '1.0.0+a', '1.0.0+b'].map((version) =>
      failureOf(publish({ version }, `v${version.length}${version.at(-1)}`)),
    ),
  );
  expect(outcomes.filter((outcome) => !(outcome instanceof Error))).toHaveLength(1);
  expect(await made.catalogue.versions(NETWORK)).toHaveLength(1);
});

it('a refused publication takes nothing', async () => {
  await failureOf(made.publish(tarGz([{ name: 'main.tf', content: 'variable' }])));
  expect(await keysOf('')).toEqual([]);
});
