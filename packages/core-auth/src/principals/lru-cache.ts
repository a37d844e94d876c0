/** A bounded memory of what was looked up: least recently used goes first, and what nobody asks for goes by time. */
import type { Clock, EpochMillis } from '@postern/ports';

export interface LruCache {
  /** Counts as a use: the entry lives on from now. */
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  readonly size: number;
}

export interface LruLimits {
  readonly maxEntries: number;
  /** Since the last use. */
  readonly maxIdleMs: number;
}

export function createLruCache(clock: Clock, { maxEntries, maxIdleMs }: LruLimits): LruCache {
  /** In order of use: a Map keeps the order of insertion, and each use inserts anew. */
  const entries = new Map<string, { readonly value: string; readonly usedAt: EpochMillis }>();

  function use(key: string, value: string): void {
    entries.delete(key);
    entries.set(key, { value, usedAt: clock.now() });
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (clock.now() - entry.usedAt >= maxIdleMs) {
        entries.delete(key);
        return undefined;
      }
      use(key, entry.value);
      return entry.value;
    },
    set(key, value) {
      use(key, value);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries) break;
        entries.delete(oldest);
      }
    },
    get size() {
      return entries.size;
    },
  };
}
