/** What the cases of the blob contract are made of. They assert with node:assert: any test runner can run them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { BlobStore, StoredBlob } from '@postern/ports';
import { createSeededRandom } from '../storage/seeded-random.js';

export interface BlobContext {
  /** An empty store. */
  readonly blobs: BlobStore;
  /** Opens the same data again. Only where the contract is for a durable store. */
  reopen(): Promise<BlobStore>;
  /** Replaces what is stored under a digest behind the store's back. Only where that can be done. */
  alter(digest: string, change: (bytes: Uint8Array) => Uint8Array): Promise<void>;
}

export interface BlobCaseDefinition {
  readonly name: string;
  /** What the store under test must be able to do. */
  readonly needs?: 'durability' | 'altering';
  run(context: BlobContext): Promise<void>;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes that differ for each seed. */
export function bytesOf(seed: number, length: number): Uint8Array {
  const random = createSeededRandom(seed);
  return Uint8Array.from({ length }, () => random.below(256));
}

/** Bytes as a source, in chunks of one size. */
export async function* chunked(bytes: Uint8Array, chunkBytes = 1000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.slice(start, start + chunkBytes);
}

/** Puts bytes with room to spare. */
export async function putBytes(blobs: BlobStore, bytes: Uint8Array, chunkBytes?: number): Promise<StoredBlob> {
  return blobs.put(chunked(bytes, chunkBytes), { maxBytes: bytes.length + 1 });
}

/** All bytes of a content. */
export async function collect(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

/** All bytes of a blob; undefined if absent. */
export async function bytesIn(blobs: BlobStore, digest: string): Promise<Uint8Array | undefined> {
  const opened = await blobs.open(digest);
  if (opened === undefined) return undefined;
  const bytes = await collect(opened.content);
  assert.equal(bytes.length, opened.sizeBytes);
  return bytes;
}

/** All digests, walked in pages. */
export async function allDigests(blobs: BlobStore, limit = 1000): Promise<readonly string[]> {
  const digests: string[] = [];
  let after: string | undefined;
  do {
    const page = await blobs.list({ after, limit });
    assert.ok(page.digests.length <= limit);
    digests.push(...page.digests);
    after = page.next;
  } while (after !== undefined);
  return digests;
}

/** What a call rejects with. */
export async function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail('expected a rejection'),
    (error: unknown) => error,
  );
}
