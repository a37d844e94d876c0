/**
 * Whether two entries are one file somewhere: equal names, or names that a file system without letter case (macOS,
 * Windows) or with another Unicode form takes for equal. What such an archive unpacks to depends on who unpacks it.
 */
import { entryRefusal } from './refuse.js';

export type EntryKind = 'file' | 'folder';

interface KnownName {
  readonly name: string;
  readonly kind: EntryKind;
}

export interface EntryNames {
  /**
   * Takes note of an entry and of the folders above it.
   *
   * @throws ModuleArchiveError `archive_duplicate_entry`.
   */
  add(parts: readonly string[], kind: EntryKind): void;
}

export function createEntryNames(): EntryNames {
  const known = new Map<string, KnownName>();
  const note = (name: string, kind: EntryKind) => {
    const key = foldName(name);
    const other = known.get(key);
    if (other === undefined) known.set(key, { name, kind });
    else if (other.name !== name) {
      throw entryRefusal(
        'archive_duplicate_entry',
        name,
        'another entry differs from it only in letter case or accents',
      );
    } else if (other.kind !== kind) {
      throw entryRefusal('archive_duplicate_entry', name, 'it is a file and a folder at once: pack the module again');
    } else if (kind === 'file') {
      throw entryRefusal('archive_duplicate_entry', name, 'it is in the archive twice: pack the module again');
    }
  };
  return {
    add: (parts, kind) => {
      for (let count = 1; count < parts.length; count += 1) note(parts.slice(0, count).join('/'), 'folder');
      note(parts.join('/'), kind);
    },
  };
}

/** Letter case and Unicode form taken away. Upper case first: `ß` and `SS`, `ſ` and `s` are one to some systems. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}
