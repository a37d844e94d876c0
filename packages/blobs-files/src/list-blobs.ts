/** Which blobs there are, in byte order: the fan-out folders in theirs, and the names in each. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobPaths, isDigest, isShard } from './blob-paths.js';
import { ifPresent, onDisk } from './disk.js';

const MAX_PAGE = 1000;

/** @throws RangeError for a page of fewer than 1 or more than 1,000 digests. */
export async function listBlobs(
  paths: BlobPaths,
  query: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly digests: readonly string[]; readonly next: string | undefined }> {
  const { after = '', limit } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new RangeError(`A page has 1 to ${MAX_PAGE} digests.`);
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
