/**
 * The record format of a cluster (STORE-5). Nodes are upgraded one by one: a newer version writes what older ones read until
 * an operator finalizes the upgrade. The finalized format is one stored record; a new database starts with the newest. While
 * a storage is copied into, that record marks the copy as incomplete (STORE-10): every version reads it first, and refuses.
 */
import { decodeRecord, encodeRecord, NEWER_RECORD_REMEDY, RECORD_FORMAT, type WriteFormat } from '@postern/kernel';
import { isConflict, type Storage, type StoredRecord, type Version } from '@postern/ports';
import * as z from 'zod';
import { describeError, type Log } from '../log.js';
import { StartError } from '../start-error.js';
import type { Refusal } from './readiness.js';

export const STORAGE_FORMAT_KEY = 'postern/server/storage-format';
/** Before every key of the server. */
const PREFIX = 'postern/';
/** This record is of the first format for ever: every version must read it. */
const OWN_FORMAT = 1;
/** How soon a running node writes what was finalized. */
const REFRESH_MS = 10_000;

const OUTDATED: Refusal = ['record_newer', 'the storage was finalized for a newer version; upgrade this server'];

/** Versions that do not know `copying` refuse the record as that of a newer one. */
const recordSchema = z.strictObject({ finalized: z.number().int().min(1), copying: z.literal(true).optional() });

export interface StorageFormat {
  readonly current: WriteFormat;
  /** Why this version can do no more: the cluster was finalized for a newer one while it ran. */
  refusal(): Refusal | undefined;
  /** Reads the record again every 10 s. */
  watch(log: Log): void;
  stop(): void;
}

/** @throws StartError where the cluster has finalized more than this version knows; StorageError. */
export async function openStorageFormat(storage: Storage): Promise<StorageFormat> {
  let current = finalizedIn(await storage.get(STORAGE_FORMAT_KEY)) ?? (await startNew(storage));
  refuseNewer(current);
  let isOutdated = false;
  let timer: NodeJS.Timeout | undefined;

  async function refresh(log: Log): Promise<void> {
    try {
      const finalized = finalizedIn(await storage.get(STORAGE_FORMAT_KEY)) ?? current;
      isOutdated = finalized > RECORD_FORMAT;
      refuseNewer(finalized);
      if (finalized > current) log('info', 'storage format finalized', { format: finalized });
      current = Math.max(current, finalized);
    } catch (error) {
      log('error', 'the storage format cannot be used', describeError(error));
    }
  }

  return {
    current: () => current,
    refusal: () => (isOutdated ? OUTDATED : undefined),
    watch(log) {
      timer = setInterval(() => void refresh(log), REFRESH_MS);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

/** Lets every node write the newest format that this version knows. Older versions refuse to start from here on. */
export async function finalizeStorageFormat(storage: Storage): Promise<number> {
  for (;;) {
    const record = await storage.get(STORAGE_FORMAT_KEY);
    const finalized = finalizedIn(record) ?? 1;
    refuseNewer(finalized);
    if (record !== undefined && finalized === RECORD_FORMAT) return finalized;
    try {
      await write(storage, RECORD_FORMAT, record);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

/** An empty database was written by no older version. */
async function startNew(storage: Storage): Promise<number> {
  const { items } = await storage.list(PREFIX, { limit: 1 });
  if (items.length > 0) return finalizedIn(await storage.get(STORAGE_FORMAT_KEY)) ?? 1;
  try {
    await write(storage, RECORD_FORMAT, undefined);
    return RECORD_FORMAT;
  } catch (error) {
    // Another node was first: its word counts.
    if (isConflict(error)) return finalizedIn(await storage.get(STORAGE_FORMAT_KEY)) ?? 1;
    throw error;
  }
}

/** Whether the storage holds an incomplete copy. @throws StartError where the record cannot be read. */
export function isCopying(record: StoredRecord | undefined): boolean {
  return record !== undefined && decode(record).copying === true;
}

/** Marks the storage as an incomplete copy, again for each run. @returns the version that all writes of this run depend on. */
export async function markCopying(storage: Storage, before: StoredRecord | undefined): Promise<Version> {
  const value = encodeRecord({ finalized: RECORD_FORMAT, copying: true }, OWN_FORMAT);
  const condition = before === undefined ? 'absent' : { version: before.version };
  const { versions } = await storage.commit([{ type: 'put', key: STORAGE_FORMAT_KEY, value, if: condition }]);
  return versions[0] ?? '';
}

async function write(storage: Storage, finalized: number, before: StoredRecord | undefined): Promise<void> {
  const condition = before === undefined ? 'absent' : { version: before.version };
  await storage.commit([
    { type: 'put', key: STORAGE_FORMAT_KEY, value: encodeRecord({ finalized }, OWN_FORMAT), if: condition },
  ]);
}

function finalizedIn(record: StoredRecord | undefined): number | undefined {
  if (record === undefined) return undefined;
  const { finalized, copying } = decode(record);
  if (copying === true) {
    throw new StartError(
      'storage: it holds an incomplete copy\n  run the same "postern storage copy" again to complete it',
    );
  }
  return finalized;
}

function decode(record: StoredRecord): z.infer<typeof recordSchema> {
  return decodeRecord(recordSchema, record, (key, why) => {
    return new StartError(`storage: the record ${key} ${why === 'newer' ? NEWER_RECORD_REMEDY : 'cannot be read'}`);
  });
}

function refuseNewer(finalized: number): void {
  if (finalized <= RECORD_FORMAT) return;
  throw new StartError(
    `storage: its records are of format ${finalized}, this version knows formats up to ${RECORD_FORMAT}\n` +
      '  start the version that finalized the upgrade, or a newer one',
  );
}
