/** Contract: content goes in and comes out as it was, under its digest, once. */
import assert from 'node:assert/strict';
import { allDigests, type BlobCaseDefinition, bytesIn, bytesOf, putBytes, sha256 } from './blob-case.js';

export const contentCases: readonly BlobCaseDefinition[] = [
  {
    name: 'content: what was put is opened by its digest, with its size and its bytes',
    run: async ({ blobs }) => {
      for (const [seed, length] of [0, 1, 999, 1000, 262_144, 262_145, 3_000_000].entries()) {
        const bytes = bytesOf(seed, length);
        const stored = await putBytes(blobs, bytes, 65_536);
        assert.deepEqual({ ...stored }, { digest: sha256(bytes), sizeBytes: length });
        const opened = await blobs.open(stored.digest);
        assert.equal(opened?.digest, stored.digest);
        assert.equal(opened?.sizeBytes, length);
        assert.ok(Buffer.from(bytes).equals((await bytesIn(blobs, stored.digest)) ?? Buffer.from('none')));
      }
    },
  },
  {
    name: 'content: the same content again, in other chunks and at once, is one blob',
    run: async ({ blobs }) => {
      const bytes = bytesOf(1, 5000);
      const results = await Promise.all([1, 7, 5000, 4999, 1000].map((size) => putBytes(blobs, bytes, size)));
      assert.equal(new Set(results.map(({ digest }) => digest)).size, 1);
      assert.deepEqual(await allDigests(blobs), [sha256(bytes)]);
      assert.deepEqual(await bytesIn(blobs, sha256(bytes)), bytes);
    },
  },
  {
    name: 'content: a source that uses its buffer again changes nothing that it gave before',
    run: async ({ blobs }) => {
      const reusing = async function* () {
        const buffer = new Uint8Array(4);
        for (let value = 1; value <= 3; value += 1) {
          buffer.fill(value);
          yield buffer;
        }
        buffer.fill(9);
      };
      const { digest } = await blobs.put(reusing(), { maxBytes: 12 });
      assert.deepEqual(await bytesIn(blobs, digest), Uint8Array.of(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
    },
  },
  {
    name: 'content: empty chunks are nothing',
    run: async ({ blobs }) => {
      const source = async function* () {
        yield new Uint8Array(0);
        yield Uint8Array.of(7);
        yield new Uint8Array(0);
      };
      const { digest, sizeBytes } = await blobs.put(source(), { maxBytes: 1 });
      assert.equal(sizeBytes, 1);
      assert.deepEqual(await bytesIn(blobs, digest), Uint8Array.of(7));
    },
  },
  {
    name: 'content: a blob can be opened many times, and read by several at once',
    run: async ({ blobs }) => {
      const bytes = bytesOf(2, 600_000);
      const { digest } = await putBytes(blobs, bytes, 50_000);
      const all = await Promise.all([1, 2, 3].map(() => bytesIn(blobs, digest)));
      for (const each of all) assert.ok(Buffer.from(bytes).equals(each ?? Buffer.from('none')));
    },
  },
  {
    name: 'content: outlives the store object',
    needs: 'durability',
    run: async ({ blobs, reopen }) => {
      const bytes = bytesOf(3, 10_000);
      const { digest } = await putBytes(blobs, bytes);
      const reopened = await reopen();
      assert.deepEqual(await bytesIn(reopened, digest), bytes);
      assert.deepEqual(await allDigests(reopened), [digest]);
    },
  },
  {
    name: 'content: altered, cut or lengthened behind the store’s back, it throws before it was given whole',
    needs: 'altering',
    run: async ({ blobs, alter }) => {
      const changes: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
        (bytes) => bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte)),
        (bytes) => bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 0x80 : byte)),
        (bytes) => bytes.slice(0, -1),
        (bytes) => Uint8Array.of(...bytes, 0),
        () => new Uint8Array(0),
      ];
      for (const [seed, change] of changes.entries()) {
        for (const length of [1, 5000, 700_000]) {
          if (length === 700_000 && seed === 3) continue;
          const { digest } = await putBytes(blobs, bytesOf(seed + 10, length), 100_000);
          await alter(digest, change);
          const opened = await blobs.open(digest);
          assert.ok(opened !== undefined);
          let given = 0;
          const read = async () => {
            for await (const chunk of opened.content) given += chunk.length;
          };
          await assert.rejects(
            read(),
            (error) => error instanceof Error && 'code' in error && error.code === 'unavailable',
          );
          assert.ok(given < length, 'the last piece is kept back');
        }
      }
    },
  },
  {
    name: 'content: put again, what was altered is whole again',
    needs: 'altering',
    run: async ({ blobs, alter }) => {
      const bytes = bytesOf(4, 5000);
      const { digest } = await putBytes(blobs, bytes);
      await alter(digest, () => Uint8Array.of(1, 2, 3));
      await putBytes(blobs, bytes);
      assert.deepEqual(await bytesIn(blobs, digest), bytes);
    },
  },
];
