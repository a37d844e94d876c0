/**
 * The registry's two keys: one signs the addresses of archives, one seals the sessions of the page. Made once for an
 * installation, by the first node that starts, and kept in storage beside the keys of the auth method: a restart ends neither
 * addresses nor sessions, and every node on the storage has the same. They are never logged or returned.
 */
import { decodeRecord, encodeRecord, NEWER_RECORD_REMEDY, newestFormat, type WriteFormat } from '@postern/kernel';
import { isConflict, type RandomSource, type Storage } from '@postern/ports';
import * as z from 'zod';

const KEY = 'postern/server/registry-keys';
const KEY_BYTES = 32;

const keySchema = z.base64url().transform((text, context): Uint8Array => {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length === KEY_BYTES) return new Uint8Array(bytes);
  context.addIssue({ code: 'custom', message: 'not a key', input: undefined });
  return z.NEVER;
});
const recordSchema = z.strictObject({ urlKey: keySchema, sessionKey: keySchema });

export type RegistryKeys = Readonly<z.infer<typeof recordSchema>>;

/** @throws StorageError; Error where the stored keys cannot be read: what they are is not in it. */
export async function loadRegistryKeys(
  storage: Storage,
  random: RandomSource,
  format: WriteFormat = newestFormat,
): Promise<RegistryKeys> {
  return (await read(storage)) ?? make(storage, random, format);
}

async function read(storage: Storage): Promise<RegistryKeys | undefined> {
  const record = await storage.get(KEY);
  if (record === undefined) return undefined;
  return decodeRecord(recordSchema, record, (key, why) => {
    return new Error(`the registry's keys at ${key} ${why === 'newer' ? NEWER_RECORD_REMEDY : 'cannot be read'}`);
  });
}

async function make(storage: Storage, random: RandomSource, format: WriteFormat): Promise<RegistryKeys> {
  const keys = { urlKey: random.bytes(KEY_BYTES), sessionKey: random.bytes(KEY_BYTES) };
  const toText = (key: Uint8Array) => Buffer.from(key).toString('base64url');
  const value = encodeRecord({ urlKey: toText(keys.urlKey), sessionKey: toText(keys.sessionKey) }, format());
  try {
    await storage.commit([{ type: 'put', key: KEY, value, if: 'absent' }]);
    return keys;
  } catch (error) {
    // Another process was first: its keys count.
    const stored = isConflict(error) ? await read(storage) : undefined;
    if (stored === undefined) throw error;
    return stored;
  }
}
