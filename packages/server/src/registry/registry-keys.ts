/**
 * The registry's two keys: one signs the addresses of archives, one seals the sessions of the page. Made once for an
 * installation, by the first node that starts, and kept in storage beside the keys of the auth method: a restart ends neither
 * addresses nor sessions, and every node on the storage has the same. They are never logged or returned.
 */
import { createMethodSealer } from '@postern/core-auth';
import {
  createSealedCollection,
  NEWER_RECORD_REMEDY,
  newestFormat,
  type SealedCollection,
  type Sealer,
  type WriteFormat,
} from '@postern/kernel';
import { type Cipher, isConflict, type RandomSource, type Storage } from '@postern/ports';
import * as z from 'zod';

const PREFIX = 'postern/server/';
const ID = 'registry-keys';
const KEY_BYTES = 32;

const recordSchema = z.strictObject({ urlKey: z.string(), sessionKey: z.string() });
type KeyTexts = z.infer<typeof recordSchema>;

export interface RegistryKeys {
  readonly urlKey: Uint8Array;
  readonly sessionKey: Uint8Array;
}

export interface RegistrySealing {
  /** Default: the keys are stored in plain text. */
  readonly sealer?: Sealer | undefined;
  readonly format?: WriteFormat | undefined;
}

/** @throws StorageError; Error where the stored keys cannot be read: what they are is not in it. */
export async function loadRegistryKeys(
  storage: Storage,
  crypto: Cipher & RandomSource,
  { format = newestFormat, sealer = createMethodSealer({ storage, crypto }, PREFIX, format) }: RegistrySealing = {},
): Promise<RegistryKeys> {
  const records = collectionOf(storage, sealer, format);
  return (await read(records)) ?? make(storage, records, crypto);
}

/** Seals the keys under the current data key. @returns how many records were written. */
export async function resealRegistryKeys(storage: Storage, sealer: Sealer, format: WriteFormat): Promise<number> {
  const write = await collectionOf(storage, sealer, format).reseal(ID);
  if (write === undefined) return 0;
  // Nobody changes the keys: a conflict is another process that does the same.
  await storage.commit([write]).catch((error: unknown) => {
    if (!isConflict(error)) throw error;
  });
  return 1;
}

function collectionOf(storage: Storage, sealer: Sealer, format: WriteFormat): SealedCollection<KeyTexts> {
  return createSealedCollection({
    storage,
    prefix: PREFIX,
    schema: recordSchema,
    secrets: ['urlKey', 'sessionKey'],
    sealer,
    format,
    onUnreadable: (key, why) => unreadable(key, why === 'newer' ? NEWER_RECORD_REMEDY : 'cannot be read'),
  });
}

function unreadable(key: string, why: string): Error {
  return new Error(`the registry's keys at ${key} ${why}`);
}

async function read(records: SealedCollection<KeyTexts>): Promise<RegistryKeys | undefined> {
  const entry = await records.get(ID);
  if (entry === undefined) return undefined;
  return { urlKey: bytesOf(entry.value.urlKey), sessionKey: bytesOf(entry.value.sessionKey) };
}

function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64url') !== text)
    throw unreadable(PREFIX + ID, 'cannot be read');
  return new Uint8Array(bytes);
}

async function make(
  storage: Storage,
  records: SealedCollection<KeyTexts>,
  random: RandomSource,
): Promise<RegistryKeys> {
  const keys = { urlKey: random.bytes(KEY_BYTES), sessionKey: random.bytes(KEY_BYTES) };
  const toText = (key: Uint8Array) => Buffer.from(key).toString('base64url');
  const texts = { urlKey: toText(keys.urlKey), sessionKey: toText(keys.sessionKey) };
  try {
    await storage.commit([await records.put(ID, texts, 'absent')]);
    return keys;
  } catch (error) {
    // Another process was first: its keys count.
    const stored = isConflict(error) ? await read(records) : undefined;
    if (stored === undefined) throw error;
    return stored;
  }
}
