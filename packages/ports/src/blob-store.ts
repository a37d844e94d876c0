import type { CallOptions } from './shared.js';

export interface StoredBlob {
  /** SHA-256 of the bytes, lower-case hex: also its name. */
  readonly digest: string;
  readonly sizeBytes: number;
}

export interface OpenBlob extends StoredBlob {
  /** The bytes, once. Throws half-way where they are no longer those of `digest`. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Large immutable content, addressed by its digest. Rejects with `ProviderError` `unavailable` where storage fails. */
export interface BlobStore {
  /**
   * Keeps content; the same content again is one blob. Once it resolves the blob survives the death of the process.
   * A source that throws, or more than `maxBytes`, leaves nothing behind and rejects with the source's error or
   * `RangeError`.
   */
  put(
    content: AsyncIterable<Uint8Array>,
    limits: { readonly maxBytes: number },
    options?: CallOptions,
  ): Promise<StoredBlob>;
  /** Undefined for a digest that is not stored. */
  open(digest: string, options?: CallOptions): Promise<OpenBlob | undefined>;
  /** Idempotent. */
  delete(digest: string, options?: CallOptions): Promise<void>;
  /** Digests in byte order: to find what nothing names any more. */
  list(
    query: { readonly after?: string | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<{ readonly digests: readonly string[]; readonly next: string | undefined }>;
}
