import { blobContract } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createMemoryBlobStore } from './memory-blob-store.js';

describe('memory blob store keeps the blob contract', () => {
  const create = async () => ({ blobs: createMemoryBlobStore(), destroy: async () => undefined });
  it.each(blobContract({ durable: false, alterable: false, create }))('$name', ({ run }) => run());
});

describe('memory blob store', () => {
  it('gives out bytes that a reader can change without changing the blob', async () => {
    const blobs = createMemoryBlobStore();
    const source = async function* () {
      yield Uint8Array.of(1, 2, 3);
    };
    const { digest } = await blobs.put(source(), { maxBytes: 3 });
    for await (const chunk of (await blobs.open(digest))?.content ?? []) chunk.fill(0);
    const again: number[] = [];
    for await (const chunk of (await blobs.open(digest))?.content ?? []) again.push(...chunk);
    expect(again).toEqual([1, 2, 3]);
  });
});
