/**
 * The installation's audit key (AUDIT-3): tokens and nonces stand in audit events as HMACs under it, so that two
 * events about one token can be matched, and nobody can try guesses against an event. Made once, kept in storage.
 */

import { decodeBase64Url, encodeBase64Url, encodeUtf8 } from '@postern/kernel';
import { isConflict } from '@postern/ports';
import { z } from 'zod';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { createCollection } from '../store/collection.js';

const KEY_ID = 'key';
const KEY_BYTES = 32;
const auditKeySchema = z.object({ key: z.string() });

/** HMAC-SHA256, base64url. The domain keeps a token from matching a nonce of the same text. Not cut short by a caller's abort. */
export type AuditHash = (domain: 'token' | 'nonce', secret: string) => Promise<string>;

/** Hashes under the key of this installation, which is read, or made by whoever comes first, at first use. */
export function createAuditHash({ ports, options }: Pick<MethodContext, 'ports' | 'options'>): AuditHash {
  const keys = createCollection(ports.storage, `${options.storagePrefix}audit/`, auditKeySchema);
  let known: Uint8Array | undefined;

  async function readKey(): Promise<Uint8Array | undefined> {
    const entry = await keys.get(KEY_ID);
    if (entry === undefined) return undefined;
    const key = decodeBase64Url(entry.value.key);
    if (key?.length === KEY_BYTES) return key;
    throw new AuthError('internal', 'the stored audit key cannot be read', { reason: 'record_corrupt' });
  }

  async function makeKey(): Promise<Uint8Array> {
    const key = ports.crypto.bytes(KEY_BYTES);
    try {
      await ports.storage.commit([keys.put(KEY_ID, { key: encodeBase64Url(key) }, 'absent')]);
      return key;
    } catch (error) {
      // Another process was first: its key counts.
      const stored = isConflict(error) ? await readKey() : undefined;
      if (stored === undefined) throw error;
      return stored;
    }
  }

  return async (domain, secret) => {
    known ??= (await readKey()) ?? (await makeKey());
    return encodeBase64Url(await ports.crypto.hmac('sha256', known, encodeUtf8(`${domain}\0${secret}`)));
  };
}
