/** Collections whose secrets are sealed (STORE-4). Callers see plain values; a record is opened once for each version of it. */
import type { CallOptions, EpochMillis, Operation, Precondition, Storage, StoredRecord } from '@postern/ports';
import {
  decodeJson,
  encodeRecord,
  type OnUnreadable,
  parseRecord,
  type RecordSchema,
  type WriteFormat,
} from '../record-format.js';
import { createRecordReader, type RecordReader } from '../store.js';
import { isSealedUnder, openMembers, type Sealer, sealMembers } from './sealer.js';

export interface SealedCollection<T> extends RecordReader<T> {
  /** @throws StorageError, ProviderError, and the error of `onFailure` where the data key cannot be had. */
  put(
    id: string,
    value: T,
    condition: Precondition,
    expiresAt?: EpochMillis,
    options?: CallOptions,
  ): Promise<Operation>;
  /** The write that seals a record under the current data key; undefined where it is, or where there is no record. */
  reseal(id: string, options?: CallOptions): Promise<Operation | undefined>;
}

export interface SealedCollectionOptions<T> {
  readonly storage: Storage;
  readonly prefix: string;
  readonly schema: RecordSchema<T>;
  /** Members that hold secrets: `secretKey`, or `keys.*.key` for a member of each element of a list. */
  readonly secrets: readonly string[];
  readonly sealer: Sealer;
  readonly onUnreadable: OnUnreadable;
  readonly format: WriteFormat;
}

export function createSealedCollection<T extends object>(options: SealedCollectionOptions<T>): SealedCollection<T> {
  const { storage, prefix, schema, secrets: paths, sealer, onUnreadable, format } = options;

  async function open(record: Pick<StoredRecord, 'key' | 'value'>, call?: CallOptions): Promise<T> {
    const json = parseRecord(record.key, record.value, onUnreadable);
    await openMembers({ sealer, paths, key: record.key }, json, call);
    return decodeJson(schema, record.key, json, onUnreadable);
  }

  async function put(
    id: string,
    value: T,
    condition: Precondition,
    expiresAt: EpochMillis | undefined,
    call: CallOptions | undefined,
  ): Promise<Operation> {
    const key = prefix + id;
    // A copy: what callers hold stays in plain.
    const record = structuredClone(value);
    await sealMembers({ sealer, paths, key }, record, call);
    return { type: 'put', key, value: encodeRecord(record, format()), expiresAt, if: condition };
  }

  return {
    ...createRecordReader(storage, prefix, (record) => open(record)),
    put,
    async reseal(id, call) {
      const stored = await storage.get(prefix + id, call);
      if (stored === undefined || !sealer.isSealing()) return undefined;
      const { id: keyId } = await sealer.current(call);
      if (isSealedUnder(keyId, paths, parseRecord(stored.key, stored.value, onUnreadable))) return undefined;
      return put(id, await open(stored, call), { version: stored.version }, stored.expiresAt, call);
    },
  };
}
