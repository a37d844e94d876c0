import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileBlobStore } from '@postern/blobs-files';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { readTarGz } from '../test/read-tar.js';
import { failureOf, inChunks, moduleArchive, NETWORK, type SetUp, type SetUpOptions, setUp } from '../test/set-up.js';
import { tarGz } from '../test/tar-writer.js';
import { zip } from '../test/zip-writer.js';
import { createHostedCatalogue } from './hosted-catalogue.js';

const used: SetUp[] = [];
const start = (options?: SetUpOptions): SetUp => {
  const made = setUp(options);
  used.push(made);
  return made;
};
afterEach(() => {
  for (const each of used.splice(0)) each.remove();
});

const bytesOf = async (content: AsyncIterable<Uint8Array> | undefined) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content ?? []) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
};
const version = (text: string) => ({ ...NETWORK, version: text });

describe('a published version', () => {
  it.each([
    ['tar.gz', moduleArchive()],
    ['zip', zip([{ name: 'main.tf', content: 'variable "x" {}\n' }])],
  ])('is there whole, from a %s: listed, described and its archive with what was in it', async (_format, archive) => {
    const { catalogue, publish, clock, scratch } = start();
    const details = await publish(archive, { description: 'Networks', source: 'https://git.acme.example/network' });
    expect(details).toMatchObject({
      address: NETWORK,
      owner: 'ci',
      description: 'Networks',
      source: 'https://git.acme.example/network',
      publishedAt: clock.now(),
      archive: { format: 'tar.gz' },
    });
    expect(details.root.inputs.map(({ name }) => name)).toEqual(['x']);
    expect(await catalogue.details(NETWORK)).toEqual(details);
    expect(await catalogue.hasVersion(NETWORK)).toBe(true);
    expect(await catalogue.versions(NETWORK)).toEqual([
      {
        version: '1.0.0',
        publishedAt: clock.now(),
        root: { dependencies: [], providerDependencies: [] },
        submodules: [],
      },
    ]);
    const module = { namespace: 'acme', name: 'network', provider: 'aws' };
    const { owner, description, source, publishedAt } = (await catalogue.details(NETWORK))!;
    expect(await catalogue.listModules({ namespace: 'acme', limit: 10 })).toEqual({
      modules: [{ ...module, newest: { address: NETWORK, owner, description, source, publishedAt } }],
      next: undefined,
    });
    const opened = await catalogue.archive(NETWORK);
    expect(opened).toMatchObject(details.archive);
    const bytes = await bytesOf(opened?.content);
    expect(bytes.length).toBe(details.archive.sizeBytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(details.archive.digest);
    expect(readTarGz(bytes)).toMatchObject([{ name: 'main.tf', text: 'variable "x" {}\n' }]);
    expect(scratch()).toEqual([]);
  });

  it('is answered unchanged when the same bytes are published again, and refused with others', async () => {
    const { publish, catalogue, clock } = start();
    const first = await publish(moduleArchive());
    clock.advance(5_000);
    expect(await publish(moduleArchive(), { owner: 'someone else', description: 'other' })).toEqual(first);
    expect(await failureOf(publish(moduleArchive('y')))).toMatchObject({ code: 'version_exists' });
    expect(await catalogue.versions(NETWORK)).toHaveLength(1);
  });

  it('keeps its archive while another version has the same bytes, and takes it along as the last', async () => {
    const { publish, catalogue, blobs, leftovers } = start();
    await publish(moduleArchive());
    await publish(moduleArchive(), { version: version('1.1.0') });
    expect((await blobs.list({ limit: 9 })).digests).toHaveLength(1);
    expect(await catalogue.delete(NETWORK)).toBe(true);
    expect(await catalogue.hasVersion(NETWORK)).toBe(false);
    const kept = await bytesOf((await catalogue.archive(version('1.1.0')))?.content);
    expect(readTarGz(kept)).toMatchObject([{ name: 'main.tf', text: 'variable "x" {}\n' }]);
    expect(await catalogue.delete(version('1.1.0'))).toBe(true);
    expect(await catalogue.delete(version('1.1.0'))).toBe(false);
    expect(await leftovers()).toEqual([]);
  });

  it('keeps its build metadata, and pre-releases apart', async () => {
    const { publish, catalogue } = start();
    for (const text of ['1.0.0+a', '1.0.0-rc.1', '1.0.0-rc.2+b']) {
      await publish(moduleArchive(text.replaceAll(/[.+-]/g, '_')), { version: version(text) });
    }
    expect((await catalogue.versions(NETWORK)).map((each) => each.version).sort()).toEqual(
      ['1.0.0+a', '1.0.0-rc.1', '1.0.0-rc.2+b'].sort(),
    );
  });
});

describe('what is not there', () => {
  it.each([
    NETWORK,
    { ...NETWORK, namespace: '../acme' },
    { ...NETWORK, name: 'a!b' },
    { ...NETWORK, version: 'latest' },
    { ...NETWORK, provider: 'AWS' },
    { ...NETWORK, namespace: '' },
    { ...NETWORK, name: '\ud800' },
    { ...NETWORK, version: `1.0.0-${'a'.repeat(5_000)}` },
  ])('reads as nothing: %o', async (address) => {
    const { catalogue } = start();
    expect(await catalogue.hasVersion(address)).toBe(false);
    expect(await catalogue.details(address)).toBeUndefined();
    expect(await catalogue.archive(address)).toBeUndefined();
    expect(await catalogue.versions(address)).toEqual([]);
    expect(await catalogue.delete(address)).toBe(false);
  });
});

describe('modules of a namespace', () => {
  it('are listed by name, then provider, in pages of any size, of that namespace alone', async () => {
    const { publish, catalogue } = start();
    const names = [
      ['a', 'aws'],
      ['a', 'google'],
      ['a-b', 'aws'],
      ['a_b', 'aws'],
      ['ab', 'aws'],
      ['B', 'aws'],
    ] as const;
    for (const [name, provider] of names) await publish(moduleArchive(), { version: { ...NETWORK, name, provider } });
    await publish(moduleArchive(), { version: { ...NETWORK, namespace: 'acme2' } });
    const expected = [names[5], names[0], names[1], names[2], names[3], names[4]].map((each) => each?.join('/'));
    for (const limit of [1, 2, 5, 6, 100]) {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await catalogue.listModules({ namespace: 'acme', after, limit });
        seen.push(...page.modules.map(({ name, provider }) => `${name}/${provider}`));
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(expected);
    }
    expect(await catalogue.listModules({ namespace: 'acme', after: '\u0000', limit: 5 })).toMatchObject({
      modules: [],
    });
    expect(await catalogue.listModules({ namespace: '../acme', limit: 5 })).toMatchObject({ modules: [] });
  });
});

describe('a catalogue on files and SQLite', () => {
  it('has everything after it is opened again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-catalogue-'));
    const clock = { now: () => 1_700_000_000_000 };
    const open = async () => {
      const storage = await openSqliteStorage({ file: join(folder, 'db') });
      const blobs = await openFileBlobStore({ folder: join(folder, 'blobs') });
      return { storage, catalogue: createHostedCatalogue({ storage, blobs, clock }) };
    };
    const first = await open();
    const archive = tarGz([{ name: 'main.tf', content: 'output "id" { value = 1 }\n' }]);
    const details = await first.catalogue.publish({ version: NETWORK, owner: 'ci', content: inChunks(archive) });
    await first.storage.close();
    const second = await open();
    expect(await second.catalogue.details(NETWORK)).toEqual(details);
    const bytes = await bytesOf((await second.catalogue.archive(NETWORK))?.content);
    expect(readTarGz(bytes)).toMatchObject([{ name: 'main.tf', text: 'output "id" { value = 1 }\n' }]);
    await second.storage.close();
    rmSync(folder, { recursive: true });
  });
});

it('refuses limits that are no numbers', () => {
  const { storage, blobs, clock } = start();
  expect(() => createHostedCatalogue({ storage, blobs, clock, limits: { maxEntries: Number.NaN } })).toThrow(TypeError);
});
