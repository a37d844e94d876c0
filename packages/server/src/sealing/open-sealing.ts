/** What seals the secrets of a server (STORE-4), proven at the start: a lost or wrong key stops it, and not the first login. */
import { createKeyWrapper, createMethodSealer, DEFAULT_STORAGE_PREFIX, isAuthError } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { Sealer, WriteFormat } from '@postern/kernel';
import type { KeyWrapper, Storage } from '@postern/ports';
import type { Log } from '../log.js';
import { StartError } from '../start-error.js';
import { createKeyFile, readKeyFile } from './key-file.js';
import type { KeyPlace, SealingConfig } from './sealing-config.js';

export interface ServerSealing {
  /** Undefined: secrets are stored in plain text. */
  readonly keyWrapper: readonly KeyWrapper[] | undefined;
  /** Over the same data keys as that of the auth method. */
  readonly sealer: Sealer;
}

/** @throws StartError where the key that sealed the database is not the one that is configured. */
export async function openSealing(
  config: SealingConfig,
  storage: Storage,
  format: WriteFormat,
  log: Log = () => undefined,
): Promise<ServerSealing> {
  const crypto = createNodeCrypto();
  const sealerWith = (keyWrapper: readonly KeyWrapper[]) =>
    createMethodSealer({ storage, crypto, keyWrapper }, DEFAULT_STORAGE_PREFIX, format);
  const plain = sealerWith([]);
  const dataKeys = await plain.list();
  const isSealed = dataKeys.length > 0;
  if (config === 'none') {
    if (isSealed) {
      throw new StartError('sealing: secrets in this database are sealed; configure the key that sealed them');
    }
    return { keyWrapper: undefined, sealer: plain };
  }
  const keyWrapper: KeyWrapper[] = [];
  for (const place of config) keyWrapper.push(await openWrapper(place, isSealed || keyWrapper.length > 0, log));
  const sealer = sealerWith(keyWrapper);
  await proveKeys(sealer, dataKeys);
  return { keyWrapper, sealer };
}

async function openWrapper({ keyFile, awsKms }: KeyPlace, mustExist: boolean, log: Log): Promise<KeyWrapper> {
  if (awsKms !== undefined) {
    const { createKmsKeyWrapper } = await import('@postern/provider-aws');
    return createKmsKeyWrapper(awsKms);
  }
  const file = keyFile ?? '';
  const known = await readKeyFile(file);
  if (known !== undefined) return createKeyWrapper(createNodeCrypto(), known);
  if (mustExist) {
    throw new StartError(
      `sealing.keyFile: ${file} is missing, and secrets in this database are sealed with it\n` +
        '  restore the file, or copy it from another server of the same database',
    );
  }
  const made = await createKeyFile(file);
  log('info', 'key file made; back it up apart from the database, which cannot be read without it', { file });
  return createKeyWrapper(createNodeCrypto(), made);
}

/** @throws StartError. */
async function proveKeys(sealer: Sealer, dataKeys: Awaited<ReturnType<Sealer['list']>>): Promise<void> {
  for (const { id, wrapper } of dataKeys) {
    try {
      await sealer.find(id);
    } catch (error) {
      if (!isAuthError(error)) throw error;
      const remedy =
        error.code === 'sealed_unreadable'
          ? 'configure that key; after a change of keys, list it under sealing.former until "postern keys rewrap" was run'
          : error.message;
      throw new StartError(`sealing: data key ${id}, wrapped by ${wrapper}, cannot be opened\n  ${remedy}`, error);
    }
  }
}
