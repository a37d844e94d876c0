/** A map that keeps the entries used last, so that no number of accounts or regions can fill the memory (THREAT-35). */

export interface BoundedMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
}

/** @param onDrop called with a value that had to make room, was replaced, deleted or cleared */
export function createBoundedMap<V>(limit: number, onDrop: (value: V) => void = () => undefined): BoundedMap<V> {
  // A Map iterates in the order of insertion; an entry that is used moves to the end.
  const entries = new Map<string, V>();
  const remove = (key: string): void => {
    const value = entries.get(key);
    if (value === undefined) return;
    entries.delete(key);
    onDrop(value);
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      entries.set(key, value);
      for (const oldest of entries.keys()) {
        if (entries.size <= limit) break;
        remove(oldest);
      }
    },
    delete: remove,
    clear() {
      for (const key of [...entries.keys()]) remove(key);
    },
    get size() {
      return entries.size;
    },
  };
}
