/**
 * Records that are asked for in the same turn of the event loop come in one answer: a login that reads several asks once, and
 * logins that come together share the question. While two are under way the others wait and become one: under load the
 * database reads the same role once for all of them. Each answer is of a moment after its question was put.
 */
import { StorageError, type StoredRecord } from '@postern/ports';

/** Questions under way at once. */
const MAX_UNDER_WAY = 2;
/** A question that takes longer holds up no other: a connection that hangs must not double the time of those behind it (STORE-9). */
const SLOW_MS = 250;
/** Keys of one question, unless one caller asks for more. */
const MAX_KEYS = 500;

type Found = ReadonlyMap<string, StoredRecord>;

interface Waiting {
  readonly keys: readonly string[];
  readonly signal: AbortSignal | undefined;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: unknown) => void;
}

export interface ReadQueue {
  /** @throws what `read` throws; StorageError `aborted` where the signal fires before anything is sent. */
  ask(keys: readonly string[], signal: AbortSignal | undefined): Promise<Found>;
}

/** @param read one question to the database. No key occurs twice in it. */
export function createReadQueue(read: (keys: readonly string[]) => Promise<readonly StoredRecord[]>): ReadQueue {
  let waiting: Waiting[] = [];
  let underWay = 0;
  let isDue = false;

  function flushSoon(): void {
    if (isDue || waiting.length === 0 || underWay === MAX_UNDER_WAY) return;
    isDue = true;
    // After this turn, so that everything that is asked in it goes together.
    setImmediate(() => {
      isDue = false;
      void flush();
    });
  }

  async function flush(): Promise<void> {
    const { group, keys } = take();
    flushSoon();
    if (group.length === 0) return;
    underWay += 1;
    let isCounted = true;
    const leave = () => {
      if (isCounted) underWay -= 1;
      isCounted = false;
      flushSoon();
    };
    const slow = setTimeout(leave, SLOW_MS);
    try {
      const found = new Map((await read(keys)).map((record) => [record.key, record]));
      for (const { resolve } of group) resolve(found);
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      clearTimeout(slow);
      leave();
    }
  }

  function take() {
    const keys = new Set<string>();
    const group: Waiting[] = [];
    let taken = 0;
    for (const each of waiting) {
      if (group.length > 0 && keys.size + each.keys.length > MAX_KEYS) break;
      taken += 1;
      if (each.signal?.aborted === true) {
        each.reject(new StorageError('aborted', 'the call was aborted before it was sent'));
        continue;
      }
      for (const key of each.keys) keys.add(key);
      group.push(each);
    }
    waiting = waiting.slice(taken);
    return { group, keys: [...keys] };
  }

  return {
    ask: (keys, signal) =>
      new Promise((resolve, reject) => {
        waiting.push({ keys, signal, resolve, reject });
        flushSoon();
      }),
  };
}
