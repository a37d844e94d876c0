/** The BlobStore port on a folder. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BlobStore, CallOptions, OpenBlob, StoredBlob } from '@postern/ports';
import { type BlobPaths, blobPaths, isDigest, isShard } from './blob-paths.js';
import { ifPresent, onDisk, syncFolder } from './disk.js';
import { sweepLeftovers } from './leftovers.js';
import { readBlob } from './read-blob.js';
import { writeBlob } from './write-blob.js';

export interface FileBlobStoreOptions {
  /** Made where it is missing. Folders get mode 0700 and files 0600. */
  readonly folder: string;
}

/**
 * Opens the store in a folder and removes what a killed process was writing there. Several processes of one machine may
 * share a folder.
 *
 * @throws ProviderError `unavailable` when the folder can't be made or listed.
 * @example
 * ```ts
 * const blobs = await openFileBlobStore({ folder: '/var/lib/postern/blobs' });
 * const { digest } = await blobs.put(request.body, { maxBytes: 100 * 1024 * 1024 });
 * ```
 */
export async function openFileBlobStore(options: FileBlobStoreOptions): Promise<BlobStore> {
  const folder = resolve(options.folder);
  const paths = blobPaths(folder);
  await onDisk('make its folders', async () => {
    const created = [
      await mkdir(paths.blobs, { recursive: true, mode: 0o700 }),
      await mkdir(paths.incoming, { recursive: true, mode: 0o700 }),
    ];
    await syncFolder(folder);
    for (const path of created) if (path !== undefined) await syncFolder(dirname(path));
  });
  await sweepLeftovers(paths);
  return new FileBlobStore(paths);
}

class FileBlobStore implements BlobStore {
  readonly #paths: BlobPaths;

  constructor(paths: BlobPaths) {
    this.#paths = paths;
  }

  async put(
    content: AsyncIterable<Uint8Array>,
    limits: { readonly maxBytes: number },
    options?: CallOptions,
  ): Promise<StoredBlob> {
    return writeBlob(this.#paths, content, limits.maxBytes, options?.signal);
  }

  async open(digest: string, options?: CallOptions): Promise<OpenBlob | undefined> {
    options?.signal?.throwIfAborted();
    if (!isDigest(digest)) return undefined;
    const path = this.#paths.blobOf(digest);
    const facts = await ifPresent('look for a blob', () => stat(path));
    if (facts === undefined) return undefined;
    return { digest, sizeBytes: facts.size, content: readBlob(path, digest, options?.signal) };
  }

  async delete(digest: string, options?: CallOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    if (!isDigest(digest)) return;
    await onDisk('delete a blob', () => rm(this.#paths.blobOf(digest), { force: true }));
    // A name that comes back after a power failure costs space, nothing else: no sync.
  }

  async list(
    query: { readonly after?: string | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<{ readonly digests: readonly string[]; readonly next: string | undefined }> {
    options?.signal?.throwIfAborted();
    return listBlobs(this.#paths, query);
  }
}

const MAX_PAGE = 1000;

/** @throws RangeError for a page of fewer than 1 or more than 1,000 digests. */
async function listBlobs(
  paths: BlobPaths,
  query: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly digests: readonly string[]; readonly next: string | undefined }> {
  const { after = '', limit } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new RangeError(`a page has 1 to ${MAX_PAGE} digests`);
  }
  const shards = (await onDisk('list its folders', () => readdir(paths.blobs))).filter(isShard).sort();
  const digests: string[] = [];
  for (const shard of shards) {
    if (shard < after.slice(0, 2)) continue;
    const names = (await ifPresent('list a folder', () => readdir(join(paths.blobs, shard)))) ?? [];
    for (const name of names.sort()) {
      if (!isDigest(name) || name <= after) continue;
      if (digests.length === limit) return { digests, next: digests.at(-1) };
      digests.push(name);
    }
  }
  return { digests, next: undefined };
}
