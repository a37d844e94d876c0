/** What is of files and not of the port: modes, leftovers, links, disks that fail. */
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { sep } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../test/temporary-folder.js';
import { incomingName } from './blob-paths.js';
import { openFileBlobStore } from './file-blob-store.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const source = async function* (...chunks: readonly string[]) {
  for (const chunk of chunks) yield new TextEncoder().encode(chunk);
};
const open = () => openFileBlobStore({ folder: folder.path('blobs') });
const limits = { maxBytes: 1000 };
const NOBODY = 2 ** 22 + 1;

describe('a file blob store', () => {
  it('makes folders and files that only their owner reads', async () => {
    const blobs = await open();
    const { digest } = await blobs.put(source('a', 'b'), limits);
    const modeOf = (...parts: string[]) => (statSync(folder.path('blobs', ...parts)).mode & 0o777).toString(8);
    const shard = digest.slice(0, 2);
    expect([modeOf(), modeOf('sha256'), modeOf('incoming'), modeOf('sha256', shard)]).toEqual(Array(4).fill('700'));
    expect(modeOf('sha256', shard, digest)).toBe('600');
  });

  it('keeps nothing but the blob: no file of a put, refused or done, stays in incoming', async () => {
    const blobs = await open();
    const { digest } = await blobs.put(source('a'), limits);
    await expect(blobs.put(source('a'.repeat(2000)), limits)).rejects.toThrow(RangeError);
    const failing = async function* () {
      yield* source('a');
      throw new Error('broken');
    };
    await expect(blobs.put(failing(), limits)).rejects.toThrow('broken');
    expect(folder.files()).toEqual([['blobs', 'sha256', digest.slice(0, 2), digest].join(sep)]);
  });

  it('sweeps at open what dead processes left, and spares what others write and what it does not know', async () => {
    await open();
    const mine = incomingName();
    const [machine = ''] = mine.split('-');
    const dead = mine.replace(`-${process.pid}-`, `-${NOBODY}-`);
    const alive = mine.replace(`-${process.pid}-`, `-${process.ppid}-`);
    const elsewhere = dead.replace(machine, 'abcdef');
    const longAgo = alive.replace(/[0-9a-f]{24}/, '0'.repeat(24));
    for (const name of [mine, dead, alive, elsewhere, longAgo, 'notes.txt']) {
      writeFileSync(folder.path('blobs', 'incoming', name), 'half');
    }
    utimesSync(folder.path('blobs', 'incoming', longAgo), 1, 1);
    await open();
    expect(readdirSync(folder.path('blobs', 'incoming')).sort()).toEqual([alive, elsewhere, 'notes.txt'].sort());
  });

  it('spares what this process is writing when it opens the folder a second time', async () => {
    const blobs = await open();
    const slow = async function* () {
      yield* source('half');
      await open();
      yield* source('other half');
    };
    const { digest } = await blobs.put(slow(), limits);
    expect((await blobs.open(digest))?.sizeBytes).toBe(14);
  });

  it('reads no link, and lists nothing but blobs', async () => {
    const blobs = await open();
    const digest = 'ab'.repeat(32);
    mkdirSync(folder.path('blobs', 'sha256', 'ab'));
    mkdirSync(folder.path('blobs', 'sha256', 'notes'));
    writeFileSync(folder.path('blobs', 'sha256', 'ab', 'README'), 'text');
    writeFileSync(folder.path('secret'), 'secret');
    symlinkSync(folder.path('secret'), folder.path('blobs', 'sha256', 'ab', digest));
    const opened = await blobs.open(digest);
    await expect(opened?.content[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'unavailable' });
    await blobs.delete(digest);
    expect(await blobs.list({ limit: 10 })).toEqual({ digests: [], next: undefined });
  });

  it.skipIf(process.platform !== 'linux')(
    'holds no file open for a content that nobody reads, nor for one read in part',
    async () => {
      const blobs = await open();
      const { digest } = await blobs.put(source('x'.repeat(900)), limits);
      const opened = () => readdirSync('/proc/self/fd').length;
      const before = opened();
      for (let count = 0; count < 20; count += 1) {
        await blobs.open(digest);
        for await (const chunk of (await blobs.open(digest))?.content ?? []) if (chunk.length > 0) break;
      }
      expect(opened()).toBeLessThanOrEqual(before + 2);
    },
  );

  it('is unavailable, never without content, when its folder is taken away', async () => {
    const blobs = await open();
    const { digest } = await blobs.put(source('a'), limits);
    rmSync(folder.path('blobs'), { recursive: true });
    await expect(blobs.put(source('a'), limits)).rejects.toMatchObject({ name: 'ProviderError', code: 'unavailable' });
    await expect(blobs.list({ limit: 1 })).rejects.toMatchObject({ name: 'ProviderError', code: 'unavailable' });
    expect(await blobs.open(digest)).toBeUndefined();
  });

  it('refuses a folder that is a file', async () => {
    writeFileSync(folder.path('blobs'), 'a file');
    await expect(open()).rejects.toMatchObject({ name: 'ProviderError', code: 'unavailable' });
  });
});
