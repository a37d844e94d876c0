import type { CallOptions } from './shared.js';

/** A static key pair. The secret never reaches a log, an error or `inspect`. */
export interface AccessKeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What rotate-root needs of the provider (ROTATE-2). Each call uses the pair it is given. */
export interface AccessKeys {
  /**
   * Creates a second key for the user that `current` belongs to.
   *
   * @returns undefined where the user has as many keys as it may have: none was created.
   */
  create(current: AccessKeyPair, options?: CallOptions): Promise<AccessKeyPair | undefined>;
  /** Whether the pair works yet; the provider is eventually consistent. */
  prove(pair: AccessKeyPair, options?: CallOptions): Promise<boolean>;
  /** Ids of all keys of the user that `current` belongs to. */
  list(current: AccessKeyPair, options?: CallOptions): Promise<readonly string[]>;
  /** Deletes a key by id; deleting a missing key succeeds. */
  delete(current: AccessKeyPair, accessKeyId: string, options?: CallOptions): Promise<void>;
}
