import { readFile, writeFile } from 'node:fs/promises';
import { blobContract } from '@postern/testkit';
import { describe, it } from 'vitest';
import { temporaryFolder } from '../test/temporary-folder.js';
import { openFileBlobStore } from './file-blob-store.js';

describe('file blob store keeps the blob contract', () => {
  const create = async () => {
    const folder = temporaryFolder();
    const open = () => openFileBlobStore({ folder: folder.path('blobs') });
    const alter = async (digest: string, change: (bytes: Uint8Array) => Uint8Array) => {
      const path = folder.path('blobs', 'sha256', digest.slice(0, 2), digest);
      await writeFile(path, change(new Uint8Array(await readFile(path))));
    };
    return { blobs: await open(), reopen: open, alter, destroy: async () => folder.remove() };
  };
  it.each(blobContract({ durable: true, alterable: true, create }))('$name', ({ run }) => run());
});
