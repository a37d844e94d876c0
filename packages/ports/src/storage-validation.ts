/**
 * What every adapter of Storage refuses before it touches a record: calls over `STORAGE_LIMITS`, malformed ones, and those
 * that come after `close`. One place, so that all adapters accept exactly the same. Pure; each check throws `StorageError`
 * `limit`, `aborted` or `closed`.
 */
import type { Awaitable, CallOptions } from './shared.js';
import type {
  ExpiredPosition,
  ListQuery,
  LogPosition,
  Operation,
  Precondition,
  RecordOperation,
  Version,
} from './storage.js';
import { StorageError } from './storage-error.js';
import { STORAGE_LIMITS } from './storage-limits.js';

/** Lets calls in until the storage is closed. */
export class StorageGate {
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  /** @throws StorageError `closed`; what `check` throws for the arguments of the call; `aborted`. */
  admit<Arguments extends readonly unknown[]>(
    options: CallOptions | undefined,
    check: (...given: Arguments) => void,
    ...given: Arguments
  ): void {
    if (this.#closing !== undefined) throw new StorageError('closed', 'the storage is closed');
    check(...given);
    checkSignal(options);
  }

  /** What `close` waits for: every wait in it must be bounded. */
  async follow<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** Ends the storage once, after the calls that are under way. */
  close(end: () => Awaitable<void>): Promise<void> {
    this.#closing ??= this.#end(end);
    return this.#closing;
  }

  async #end(end: () => Awaitable<void>): Promise<void> {
    if (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await end();
  }
}

/** @throws StorageError `aborted` when the caller's signal has fired. */
export function checkSignal(options: CallOptions | undefined): void {
  if (options?.signal?.aborted === true) throw new StorageError('aborted', 'the call was aborted before it was sent');
}

/** @throws StorageError `limit` unless the key has 1 to `maxKeyBytes` bytes of well-formed text. */
export function checkKey(key: string): void {
  if (key === '') throw malformed('a key is empty');
  checkKeyText(key, 'a key');
}

/** @throws StorageError `limit` for more than `maxGetMany` keys, or a malformed one. */
export function checkGetMany(keys: readonly string[]): void {
  if (keys.length > STORAGE_LIMITS.maxGetMany) throw malformed(`more than ${STORAGE_LIMITS.maxGetMany} keys at once`);
  for (const key of keys) checkKey(key);
}

/** @throws StorageError `limit` for a page size out of range, a malformed prefix or a malformed `after`. */
export function checkList(prefix: string, query: ListQuery): void {
  checkKeyText(prefix, 'a prefix');
  if (query.after !== undefined) checkKeyText(query.after, 'a position');
  checkPage(query.limit);
}

/** @throws StorageError `limit` as `checkList` does, and for an instant that is not whole milliseconds. */
export function checkListExpired(
  prefix: string,
  before: number,
  query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
): void {
  checkKeyText(prefix, 'a prefix');
  checkInstant(before);
  if (query.after !== undefined) {
    checkInstant(query.after.expiresAt);
    checkKeyText(query.after.key, 'a position');
  }
  checkPage(query.limit);
}

/** @throws StorageError `limit` for too many or no operations, a key named twice, or a malformed operation. */
export function checkOperations(operations: readonly Operation[]): void {
  let appends = 0;
  for (const { type } of operations) if (type === 'append') appends += 1;
  const records = operations.length - appends;
  if (operations.length < 1 || records > STORAGE_LIMITS.maxOperations || appends > STORAGE_LIMITS.maxAppends) {
    const { maxOperations, maxAppends } = STORAGE_LIMITS;
    throw malformed(`a commit has 1 to ${maxOperations} operations on records and at most ${maxAppends} appends`);
  }
  operations.forEach((operation, at) => {
    if (operation.type === 'append') {
      checkKey(operation.log);
      checkValue(operation.value);
      return;
    }
    checkKey(operation.key);
    if (isNamedBefore(operations, at, operation.key)) throw malformed('a commit names a key twice');
    checkOperation(operation);
  });
}

/** Few, as checked before: a set costs more than to look. */
function isNamedBefore(operations: readonly Operation[], end: number, key: string): boolean {
  for (let at = 0; at < end; at += 1) {
    const other = operations[at];
    if (other !== undefined && 'key' in other && other.key === key) return true;
  }
  return false;
}

/** @throws StorageError `limit` for a malformed name of a log or a page size out of range. */
export function checkReadLog(log: string, query: { readonly limit: number }): void {
  checkKey(log);
  checkPage(query.limit);
}

/** @throws StorageError `limit` for a malformed name of a log, more than `maxPage` positions, or one that is no text. */
export function checkRemoveFromLog(log: string, positions: readonly LogPosition[]): void {
  checkKey(log);
  if (positions.length > STORAGE_LIMITS.maxPage)
    throw malformed(`more than ${STORAGE_LIMITS.maxPage} positions at once`);
  if (positions.some((position) => typeof position !== 'string')) throw malformed('a position is not a text');
}

/** Whether a precondition holds of the version that a key now has; undefined when the key is absent. */
export function preconditionHolds(precondition: Precondition, current: Version | undefined): boolean {
  switch (precondition) {
    case 'any':
      return true;
    case 'absent':
      return current === undefined;
    case 'present':
      return current !== undefined;
    default:
      return current !== undefined && current === precondition.version;
  }
}

function checkOperation(operation: RecordOperation): void {
  switch (operation.type) {
    case 'put':
      if (operation.expiresAt !== undefined) checkInstant(operation.expiresAt);
      checkValue(operation.value);
      break;
    case 'delete':
    case 'check':
      break;
    default:
      throw malformed('an operation is neither put, delete, check nor append');
  }
  const precondition = operation.if;
  if (precondition === 'absent' || precondition === 'present' || precondition === 'any') return;
  // Calls from JavaScript may leave it out: a forgotten precondition must not become a blind write.
  if (typeof precondition?.version !== 'string') throw malformed('an operation has no precondition');
}

const SURROGATE = /[\ud800-\udfff]/;

/** The usual text, without counting: one unit is three bytes at most, and V8 knows of Latin-1 text that no surrogate is in it. */
function surelyFits(text: string, maxBytes: number): boolean {
  return typeof text === 'string' && text.length * 3 <= maxBytes && !SURROGATE.test(text);
}

function checkText(text: string, what: string, maxBytes: number): void {
  if (surelyFits(text, maxBytes)) return;
  const bytes = typeof text === 'string' ? utf8Length(text) : undefined;
  if (bytes === undefined) throw malformed(`${what} is not well-formed Unicode text`);
  if (bytes > maxBytes) throw malformed(`${what} exceeds ${maxBytes} bytes`);
}

function checkValue(value: string): void {
  checkText(value, 'a value', STORAGE_LIMITS.maxValueBytes);
}

function checkKeyText(key: string, what: string): void {
  checkText(key, what, STORAGE_LIMITS.maxKeyBytes);
}

function checkPage(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > STORAGE_LIMITS.maxPage) {
    throw malformed(`a page has 1 to ${STORAGE_LIMITS.maxPage} items`);
  }
}

function checkInstant(instant: number): void {
  if (!Number.isSafeInteger(instant)) throw malformed('an instant is not a whole number of milliseconds');
}

function malformed(message: string): StorageError {
  return new StorageError('limit', message);
}

/**
 * The number of UTF-8 bytes of a text.
 *
 * @returns undefined when the text is not well-formed: a lone surrogate has no UTF-8, and an encoder that replaces it
 * would make two keys one.
 */
export function utf8Length(text: string): number | undefined {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
    } else if (unit < 0xd800 || unit > 0xdfff) {
      bytes += 2;
    } else {
      const low = text.charCodeAt(index + 1);
      // Past the end `low` is NaN, which fails both comparisons.
      if (unit > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) return undefined;
      bytes += 2;
      index += 1;
    }
  }
  return bytes;
}

/**
 * Compares two well-formed texts as their UTF-8 bytes compare: negative, zero or positive.
 *
 * JavaScript's own `<` compares UTF-16 units and puts U+FF5E after U+1F600; byte order puts it before.
 */
export function compareUtf8(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return byteRank(a) - byteRank(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above the whole BMP, so they rank after it. */
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The order of `listExpired`: by instant, then by key. */
export function compareExpired(left: ExpiredPosition, right: ExpiredPosition): number {
  return left.expiresAt - right.expiresAt || compareUtf8(left.key, right.key);
}
