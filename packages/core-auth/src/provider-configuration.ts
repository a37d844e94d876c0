/** What a provider adapter reads of the stored configuration (CONFIG-1, ASSOC-1): made from storage alone, before any method is. */
import { newestFormat } from '@postern/kernel';
import type { CallOptions, Cipher, RandomSource, Storage } from '@postern/ports';
import { createConfigReaders } from './config/config-readers.js';
import type { ClientConfig, StsAssociation } from './config/records.js';
import { createCollections, DEFAULT_STORAGE_PREFIX } from './method-context.js';
import type { AuthPorts } from './options.js';
import { createMethodSealer } from './store/method-sealer.js';

/** Each call reads storage, so that a change counts at once in every process. */
export interface ProviderConfiguration {
  /** Holds the secret key. The defaults where nothing is stored (CONFIG-6). */
  clientConfig(options?: CallOptions): Promise<ClientConfig>;
  /** Undefined where the account has none. */
  stsAssociation(accountId: string, options?: CallOptions): Promise<StsAssociation | undefined>;
}

/** What opens the secrets of the method: its own `crypto` and `keyWrapper`. */
export type ProviderSealing = Pick<AuthPorts, 'crypto' | 'keyWrapper'>;

/**
 * @param storagePrefix the one of the method that it serves.
 * @param sealing where the method has a `keyWrapper`: without it, `clientConfig` fails once the secret key is sealed.
 * @throws AuthError from either reader: `internal` or `record_newer` where the stored record does not decode,
 *   `sealed_unreadable`, `key_wrapper_unavailable`; StorageError as storage does.
 */
export function createProviderConfiguration(
  storage: Storage,
  storagePrefix: string = DEFAULT_STORAGE_PREFIX,
  sealing?: ProviderSealing,
): ProviderConfiguration {
  const options = { storagePrefix, recordFormat: newestFormat };
  const parts = sealing === undefined ? { crypto: NO_CIPHER } : sealing;
  const sealer = createMethodSealer({ storage, ...parts }, storagePrefix, newestFormat);
  const { client, stsAssociation } = createConfigReaders(createCollections({ ports: { storage }, options, sealer }));
  return { clientConfig: client, stsAssociation };
}

/** Without a key wrapper no data key opens: what it would open is refused before. */
function noCipher(): never {
  throw new TypeError('no key wrapper');
}
const NO_CIPHER: Cipher & RandomSource = { seal: noCipher, open: noCipher, bytes: noCipher };
