/** What a provider adapter reads of the stored configuration (CONFIG-1, ASSOC-1): made from storage alone, before any method is. */
import { newestFormat } from '@postern/kernel';
import type { CallOptions, Storage } from '@postern/ports';
import { createConfigReaders } from './config/config-readers.js';
import type { ClientConfig, StsAssociation } from './config/records.js';
import { createCollections, DEFAULT_STORAGE_PREFIX } from './method-context.js';

/** Each call reads storage, so that a change counts at once in every process. */
export interface ProviderConfiguration {
  /** Holds the secret key. The defaults where nothing is stored (CONFIG-6). */
  clientConfig(options?: CallOptions): Promise<ClientConfig>;
  /** Undefined where the account has none. */
  stsAssociation(accountId: string, options?: CallOptions): Promise<StsAssociation | undefined>;
}

/**
 * @param storagePrefix the one of the method that it serves.
 * @throws AuthError `internal` or `record_newer` from either reader where the stored record does not decode; StorageError
 *   as storage does.
 */
export function createProviderConfiguration(
  storage: Storage,
  storagePrefix: string = DEFAULT_STORAGE_PREFIX,
): ProviderConfiguration {
  const { client, stsAssociation } = createConfigReaders(
    createCollections({ ports: { storage }, options: { storagePrefix, recordFormat: newestFormat } }),
  );
  return { clientConfig: client, stsAssociation };
}
