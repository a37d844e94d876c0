/**
 * Nonces in a folder, a file each, which is created once and never written again: there is no moment at which a nonce that was sent
 * is not in its file, and no lock that a crash could leave behind.
 */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { PosternClientError, systemCode } from '../client-error.js';
import type { NonceStore } from './nonce-store.js';
import {
  createPrivateFile,
  preparePrivateFolder,
  readPrivateFile,
  syncFolder,
  UnsafeFileError,
} from './private-file.js';

/**
 * Keeps nonces in a folder, which is made (mode 0700) at the first login; its files have mode 0600. It must outlive a restart of the
 * program, and should be on the disk of the instance: neither in an image that others start from, nor shared.
 *
 * `keep` rejects with a PosternClientError: `nonce_file_unsafe` where others have access to folder or file, or a link stands in its
 * place; `nonce_file_damaged`; `nonce_store_unavailable` where the file system fails.
 */
export function fileNonceStore(folder: string): NonceStore {
  // Node's `mkdir` never ends for a relative path in a working folder that was removed.
  const absolute = resolve(folder);
  return {
    keep: async (key, proposed) => {
      const file = join(absolute, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
      try {
        await preparePrivateFolder(absolute);
        const kept = await readPrivateFile(file);
        if (kept === undefined && (await createPrivateFile(file, textOf(key, proposed)))) return proposed;
        // Another process was first, perhaps only just now.
        const nonce = nonceIn(kept ?? (await readPrivateFile(file)) ?? '', key);
        await syncFolder(absolute);
        return nonce;
      } catch (error) {
        throw storeError(error);
      }
    },
  };
}

/** With whose nonce it is, for the people who find the file. */
function textOf(key: string, nonce: string): string {
  return `${JSON.stringify({ for: key, nonce })}\n`;
}

function nonceIn(text: string, key: string): string {
  try {
    const { for: owner, nonce }: Record<string, unknown> = JSON.parse(text);
    if (owner === key && typeof nonce === 'string' && nonce !== '') return nonce;
  } catch {
    // Reported below: the parser's message would quote the file.
  }
  throw new PosternClientError('nonce_store', 'nonce_file_damaged', 'the nonce file is damaged');
}

function storeError(error: unknown): PosternClientError {
  if (error instanceof PosternClientError) return error;
  if (error instanceof UnsafeFileError) {
    return new PosternClientError('nonce_store', 'nonce_file_unsafe', `unsafe nonce file: ${error.message}`);
  }
  const code = systemCode(error) ?? 'no code';
  return new PosternClientError('nonce_store', 'nonce_store_unavailable', `could not store the nonce (${code})`);
}
