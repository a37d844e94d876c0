/** The reference BlobStore: what the port means, in the plainest form. Nothing survives the process. */
import type { BlobStore, CallOptions, OpenBlob, StoredBlob } from '@postern/ports';

const MAX_PAGE = 1000;

/**
 * Creates an empty BlobStore in memory.
 *
 * @example
 * ```ts
 * const blobs = createMemoryBlobStore();
 * const { digest } = await blobs.put(content, { maxBytes: 1024 });
 * ```
 */
export function createMemoryBlobStore(): BlobStore {
  return new MemoryBlobStore();
}

class MemoryBlobStore implements BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();

  async put(
    content: AsyncIterable<Uint8Array>,
    limits: { readonly maxBytes: number },
    options?: CallOptions,
  ): Promise<StoredBlob> {
    options?.signal?.throwIfAborted();
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of content) {
      options?.signal?.throwIfAborted();
      sizeBytes += chunk.length;
      if (sizeBytes > limits.maxBytes) throw new RangeError(`the content has more than ${limits.maxBytes} bytes`);
      // A copy: the source may use its buffer again.
      chunks.push(chunk.slice());
    }
    options?.signal?.throwIfAborted();
    const bytes = new Uint8Array(sizeBytes);
    let offset = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    const digest = hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
    this.#blobs.set(digest, bytes);
    return { digest, sizeBytes };
  }

  async open(digest: string, options?: CallOptions): Promise<OpenBlob | undefined> {
    options?.signal?.throwIfAborted();
    const bytes = this.#blobs.get(digest);
    if (bytes === undefined) return undefined;
    return { digest, sizeBytes: bytes.length, content: once(bytes) };
  }

  async delete(digest: string, options?: CallOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.#blobs.delete(digest);
  }

  async list(
    query: { readonly after?: string | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<{ readonly digests: readonly string[]; readonly next: string | undefined }> {
    options?.signal?.throwIfAborted();
    const { after = '', limit } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
      throw new RangeError(`a page has 1 to ${MAX_PAGE} digests`);
    }
    // Digests are hex: the order of their characters is that of their bytes.
    const rest = [...this.#blobs.keys()].filter((digest) => digest > after).sort();
    const digests = rest.slice(0, limit);
    return { digests, next: rest.length > limit ? digests.at(-1) : undefined };
  }
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** A copy goes out, so that no reader can change what is kept. */
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes.length > 0) yield bytes.slice();
}
