/**
 * What an entry's name may be: a path that stays inside the folder where it is unpacked, on every system that unpacks it.
 * Names are judged, never repaired: unpackers repair differently, and the difference is the attack.
 */
import { MAX_PART_BYTES, MAX_PATH_BYTES, MAX_PATH_PARTS } from './archive-limits.js';
import { entryRefusal } from './refuse.js';

/** Control characters and those that turn the direction of text: `fs.tf` shown for `ft.sf`. NUL cuts a name in C. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Means something in a path of Windows: a separator, a drive, a stream (`a.tf::$DATA`), a pattern. */
const WINDOWS_CHARACTER = /[\\:*?"<>|]/;

/** Devices of Windows, with any extension, in any folder. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/**
 * Parses an entry's name into its parts. The archive's own root (`./`) has none.
 *
 * @throws ModuleArchiveError `archive_entry_path` for a name that is not UTF-8, is absolute, leaves the archive, is too
 *   long or deep, or can't be held by some system.
 */
export function parseEntryPath(raw: Uint8Array): readonly string[] {
  const name = decode(raw);
  const refuse = (message: string) => entryRefusal('archive_entry_path', name, message);
  if (name === '') throw refuse('an entry has no name: pack the module again');
  if (raw.length > MAX_PATH_BYTES) throw refuse(`the name has more than ${MAX_PATH_BYTES} bytes: use a shorter path`);
  if (INVISIBLE.test(name)) throw refuse('the name holds control or invisible characters: rename the file');
  if (/^[A-Za-z]:/.test(name)) throw refuse('the name begins with a drive: pack with relative paths');
  if (name.includes('\\')) throw refuse('the name holds a backslash: pack with "/" between folders');
  if (name.startsWith('/')) throw refuse('the name is an absolute path: pack with relative paths');
  if (WINDOWS_CHARACTER.test(name))
    throw refuse('the name holds one of : * ? " < > |, which Windows cannot hold: rename it');

  const parts = name.replace(/\/$/, '').split('/');
  while (parts[0] === '.') parts.shift();
  if (parts.length > MAX_PATH_PARTS) throw refuse(`the name is more than ${MAX_PATH_PARTS} folders deep`);
  for (const part of parts) checkPart(part, refuse);
  return parts;
}

function checkPart(part: string, refuse: (message: string) => Error): void {
  if (part === '..') throw refuse('the name leaves the archive with "..": pack from inside the module’s folder');
  if (part === '' || part === '.') throw refuse('the name holds an empty part or "." in its middle: pack again');
  if (new TextEncoder().encode(part).length > MAX_PART_BYTES) throw refuse('a part of the name has over 255 bytes');
  if (/[. ]$/.test(part)) throw refuse('a part of the name ends with a dot or a space, which Windows drops: rename it');
  if (part.startsWith(' ')) throw refuse('a part of the name begins with a space: rename it');
  if (WINDOWS_DEVICE.test(part))
    throw refuse('a part of the name is a device of Windows (CON, NUL, COM1 …): rename it');
}

function decode(raw: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    const shown = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw);
    throw entryRefusal('archive_entry_path', shown, 'the name is not UTF-8: rename the file, or pack with UTF-8 names');
  }
}
