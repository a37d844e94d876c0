/** Contract: what can't be taken leaves nothing behind, and no text but a digest finds anything. */
import assert from 'node:assert/strict';
import { allDigests, type BlobCaseDefinition, bytesIn, bytesOf, chunked, putBytes, rejection } from './blob-case.js';

/** Not digests: paths, other cases, other lengths. */
const NO_DIGESTS = [
  '',
  '.',
  '..',
  '../../etc/passwd',
  '/etc/passwd',
  'g'.repeat(64),
  'A'.repeat(64),
  '0'.repeat(63),
  '0'.repeat(65),
  `${'0'.repeat(63)}\n`,
  `../${'0'.repeat(61)}`,
  `00/${'0'.repeat(61)}`,
  `${'0'.repeat(63)}\u0000`,
  '\ud800',
];

export const refusalCases: readonly BlobCaseDefinition[] = [
  {
    name: 'refusal: a source that throws is answered with its error, and nothing is kept',
    run: async ({ blobs }) => {
      for (const before of [0, 1, 300_000]) {
        const failure = new Error('the connection broke');
        const source = async function* () {
          yield* chunked(bytesOf(1, before), 50_000);
          throw failure;
        };
        assert.equal(await rejection(blobs.put(source(), { maxBytes: 1e9 })), failure);
      }
      assert.deepEqual(await allDigests(blobs), []);
    },
  },
  {
    name: 'refusal: more than maxBytes is a RangeError, read no further, and nothing is kept; as many are taken',
    run: async ({ blobs }) => {
      let given = 0;
      let closed = false;
      const endless = async function* () {
        try {
          for (;;) {
            given += 1000;
            yield new Uint8Array(1000);
          }
        } finally {
          closed = true;
        }
      };
      assert.ok((await rejection(blobs.put(endless(), { maxBytes: 10_500 }))) instanceof RangeError);
      assert.ok(given <= 12_000 && closed);
      assert.ok((await rejection(blobs.put(chunked(bytesOf(1, 11)), { maxBytes: 10 }))) instanceof RangeError);
      assert.deepEqual(await allDigests(blobs), []);
      assert.equal((await blobs.put(chunked(bytesOf(1, 10)), { maxBytes: 10 })).sizeBytes, 10);
      assert.equal((await blobs.put(chunked(new Uint8Array(0)), { maxBytes: 0 })).sizeBytes, 0);
    },
  },
  {
    name: 'refusal: content that fails leaves a blob of the same beginning as it was',
    run: async ({ blobs }) => {
      const bytes = bytesOf(2, 4000);
      const { digest } = await putBytes(blobs, bytes);
      const failing = async function* () {
        yield bytes;
        throw new Error('broken');
      };
      await rejection(blobs.put(failing(), { maxBytes: 1e6 }));
      assert.deepEqual(await allDigests(blobs), [digest]);
      assert.deepEqual(await bytesIn(blobs, digest), bytes);
    },
  },
  {
    name: 'refusal: a put that is aborted, before or half-way, keeps nothing',
    run: async ({ blobs }) => {
      const early = AbortSignal.abort(new Error('never'));
      assert.match(
        String(await rejection(blobs.put(chunked(bytesOf(1, 10)), { maxBytes: 10 }, { signal: early }))),
        /never/,
      );
      const control = new AbortController();
      const source = async function* () {
        yield bytesOf(1, 2000);
        control.abort(new Error('enough'));
        yield bytesOf(2, 2000);
      };
      const failed = await rejection(blobs.put(source(), { maxBytes: 1e6 }, { signal: control.signal }));
      assert.match(String(failed), /enough/);
      assert.deepEqual(await allDigests(blobs), []);
    },
  },
  {
    name: 'refusal: a digest that is not there, and malformed text, open nothing and delete nothing',
    run: async ({ blobs }) => {
      const { digest } = await putBytes(blobs, bytesOf(3, 100));
      for (const text of [...NO_DIGESTS, '0'.repeat(64), digest.toUpperCase()]) {
        assert.equal(await blobs.open(text), undefined, JSON.stringify(text));
        await blobs.delete(text);
      }
      assert.deepEqual(await allDigests(blobs), [digest]);
    },
  },
  {
    name: 'refusal: a page of no or too many digests is a RangeError',
    run: async ({ blobs }) => {
      for (const limit of [0, -1, 1.5, 1001, Number.NaN]) {
        assert.ok((await rejection(blobs.list({ limit }))) instanceof RangeError, String(limit));
      }
    },
  },
];
