/**
 * The format version that every stored record carries (STORE-5), as its last member `v`. A record without one is of
 * format 1. A record of a newer format, or with a member that this version does not know, fails to read: stripped, a
 * constraint that a newer version stored would not hold, and the next write would erase it.
 */

/**
 * The newest format that this version writes, and the greatest that it reads. A release that adds a member to a record, or
 * stores one in another way, raises it, and writes the older form while the cluster has finalized no more.
 *
 * 1: secrets in plain text. 2: secrets sealed.
 */
export const RECORD_FORMAT = 2;

/** The format to write now: what the operator finalized, at most `RECORD_FORMAT`. */
export type WriteFormat = () => number;

export const newestFormat: WriteFormat = () => RECORD_FORMAT;

/** What a collection needs of a schema: a zod schema is one. It must be strict: reject members that it does not know. */
export interface RecordSchema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly { readonly code?: unknown }[] } };
}

/** `newer`: another version of this software wrote the record. `corrupt`: no version did. */
export type UnreadableRecord = 'newer' | 'corrupt';

/** Makes the error of a record that does not read, from its key, never from its value. */
export type OnUnreadable = (key: string, why: UnreadableRecord) => Error;

/** The remedy for the operator, for errors about newer records. */
export const NEWER_RECORD_REMEDY = 'was written by a newer version of this software; upgrade this node';

/** A record of a newer version, for packages that have no coded error of their own: the cause of what they throw. */
export class NewerRecordError extends Error {
  override readonly name = 'NewerRecordError';
  readonly code = 'record_newer';

  constructor(key: string) {
    super(`the stored record ${key} ${NEWER_RECORD_REMEDY}`);
  }
}

/** Recognises a `NewerRecordError` by shape, also one made by another copy of this package. */
export function isNewerRecordError(error: unknown): error is NewerRecordError {
  return error instanceof Error && error.name === 'NewerRecordError';
}

/** Serializes a record. `v` is appended to the text: cheaper than a copy of the value. */
export function encodeRecord(value: object, format: number): string {
  const text = JSON.stringify(value);
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}"v":${format}}`;
}

/** Reads a stored JSON text. @throws the error of `onUnreadable`. */
export function decodeRecord<T>(
  schema: RecordSchema<T>,
  { key, value }: { readonly key: string; readonly value: string },
  onUnreadable: OnUnreadable,
): T {
  return decodeJson(schema, key, parseRecord(key, value, onUnreadable), onUnreadable);
}

/** Checks what `parseRecord` returned. @throws the error of `onUnreadable`. */
export function decodeJson<T>(schema: RecordSchema<T>, key: string, json: unknown, onUnreadable: OnUnreadable): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const isUnknown = parsed.error.issues.some(({ code }) => code === 'unrecognized_keys');
  throw onUnreadable(key, isUnknown ? 'newer' : 'corrupt');
}

/** The members of a record of a format that this version reads, without `v`. @throws the error of `onUnreadable`. */
export function parseRecord(key: string, value: string, onUnreadable: OnUnreadable): Record<string, unknown> {
  const record = jsonObject(value);
  if (record === undefined) throw onUnreadable(key, 'corrupt');
  const { v } = record;
  if (v === undefined) return record;
  if (typeof v !== 'number' || !Number.isSafeInteger(v) || v < 1) throw onUnreadable(key, 'corrupt');
  if (v > RECORD_FORMAT) throw onUnreadable(key, 'newer');
  // The last member: deleting it keeps the object's fast shape.
  delete record['v'];
  return record;
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
    // An object that JSON.parse made.
    return json as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
