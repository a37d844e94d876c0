import type { Awaitable, CallOptions } from './shared.js';

/**
 * Protects the data keys that secrets in storage are sealed with (STORE-4): a key file, a KMS, an HSM. It sees data keys and
 * never the secrets. What it returns is stored.
 */
export interface KeyWrapper {
  /** Names the key that wraps; stored with every data key. Not a secret. Another key has another id. */
  readonly id: string;
  /**
   * Encrypts and authenticates a data key.
   *
   * @param dataKey 32 bytes
   * @param context authenticated and not encrypted; `unwrap` is given the same
   * @throws ProviderError
   */
  wrap(dataKey: Uint8Array, context: string, options?: CallOptions): Awaitable<Uint8Array>;
  /**
   * The data key, or undefined where it was not wrapped by this key, or under another context.
   *
   * @throws ProviderError where it could not find out.
   */
  unwrap(wrapped: Uint8Array, context: string, options?: CallOptions): Awaitable<Uint8Array | undefined>;
}
