/** What seals the secrets of a method (STORE-4), with its failures as `AuthError`: could not find out is never "wrong key". */
import { createSealer, type Sealer, type SealFailure, type WriteFormat } from '@postern/kernel';
import { type Cipher, isProviderError, type KeyWrapper, type RandomSource, type Storage } from '@postern/ports';
import { AuthError } from '../errors.js';
import { unreadableRecord } from './collection.js';

const RETRY_AFTER_SECONDS = 5;

export interface SealingParts {
  readonly storage: Storage;
  readonly crypto: Cipher & RandomSource;
  readonly keyWrapper?: KeyWrapper | readonly KeyWrapper[];
}

/** @param storagePrefix below which the data keys are kept, wrapped. */
export function createMethodSealer(parts: SealingParts, storagePrefix: string, format: WriteFormat): Sealer {
  const { storage, crypto, keyWrapper = [] } = parts;
  const wrappers = isList(keyWrapper) ? keyWrapper : [keyWrapper];
  return createSealer({
    storage,
    crypto,
    wrappers: wrappers.map(withAuthErrors),
    ringKey: `${storagePrefix}data-keys/ring`,
    format,
    onUnreadable: unreadableRecord,
    onFailure,
  });
}

function isList(wrappers: KeyWrapper | readonly KeyWrapper[]): wrappers is readonly KeyWrapper[] {
  return Array.isArray(wrappers);
}

function onFailure(why: SealFailure, what: string): AuthError {
  return why === 'contended'
    ? new AuthError('storage_contended', 'too many concurrent changes of the data keys; try again', {
        retryAfterSeconds: 1,
      })
    : new AuthError(
        'sealed_unreadable',
        `a secret in storage cannot be opened: ${what}; configure the key that sealed it`,
      );
}

function withAuthErrors(wrapper: KeyWrapper): KeyWrapper {
  return {
    id: wrapper.id,
    wrap: (...given) => asAuthErrors(async () => wrapper.wrap(...given)),
    unwrap: (...given) => asAuthErrors(async () => wrapper.unwrap(...given)),
  };
}

async function asAuthErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isProviderError(error)) throw error;
    if (error.code !== 'unavailable') {
      throw new AuthError(
        'key_wrapper_misconfigured',
        'the key wrapper rejects this server; check key and permissions',
        {
          cause: error,
        },
      );
    }
    const { retryAfterSeconds = RETRY_AFTER_SECONDS } = error;
    throw new AuthError('key_wrapper_unavailable', 'the key wrapper is unavailable; try again', {
      cause: error,
      retryAfterSeconds,
    });
  }
}
