/** Contract: blobs are listed in byte order, and deleted for good. */
import assert from 'node:assert/strict';
import { allDigests, type BlobCaseDefinition, bytesIn, bytesOf, putBytes } from './blob-case.js';

export const listingCases: readonly BlobCaseDefinition[] = [
  {
    name: 'listing: an empty store lists nothing',
    run: async ({ blobs }) => {
      assert.deepEqual(await blobs.list({ limit: 10 }), { digests: [], next: undefined });
    },
  },
  {
    name: 'listing: digests come in byte order, in pages of any size, each once',
    run: async ({ blobs }) => {
      const stored: string[] = [];
      for (let seed = 0; seed < 40; seed += 1) stored.push((await putBytes(blobs, bytesOf(seed, 50))).digest);
      const sorted = stored.toSorted();
      for (const limit of [1, 7, 39, 40, 41, 1000]) assert.deepEqual(await allDigests(blobs, limit), sorted);
      assert.equal((await blobs.list({ limit: 40 })).next, undefined);
    },
  },
  {
    name: 'listing: goes on after a digest that is no longer there, and after any text',
    run: async ({ blobs }) => {
      for (let seed = 0; seed < 10; seed += 1) await putBytes(blobs, bytesOf(seed, 50));
      const sorted = await allDigests(blobs);
      const [first = '', second = ''] = sorted;
      await blobs.delete(second);
      assert.deepEqual((await blobs.list({ after: second, limit: 100 })).digests, sorted.slice(2));
      assert.deepEqual((await blobs.list({ after: first, limit: 100 })).digests, sorted.slice(2));
      assert.deepEqual((await blobs.list({ after: 'zz', limit: 100 })).digests, []);
    },
  },
  {
    name: 'listing: a deleted blob is gone, deleting it again succeeds, and it can be put again',
    run: async ({ blobs }) => {
      const bytes = bytesOf(1, 3000);
      const { digest } = await putBytes(blobs, bytes);
      const other = await putBytes(blobs, bytesOf(2, 3000));
      await blobs.delete(digest);
      await blobs.delete(digest);
      assert.equal(await blobs.open(digest), undefined);
      assert.deepEqual(await allDigests(blobs), [other.digest]);
      await putBytes(blobs, bytes);
      assert.deepEqual(await bytesIn(blobs, digest), bytes);
    },
  },
];
