/** The attributes of a pax header: `27 path=modules/x/main.tf\n`, each length counting itself. */
import { damaged } from './tar-header.js';

export interface PaxOverrides {
  readonly path: Uint8Array | undefined;
  readonly sizeBytes: number | undefined;
}

/** Makes a file of something else than its bytes, or its name of other bytes: readers without it see another archive. */
const CHANGES_MEANING = /^(?:GNU\.sparse\.|SUN\.holesdata|linkpath$|hdrcharset$|charset$)/;

/** @throws ModuleArchiveError `archive_unreadable` for records that are malformed, doubled, or change an entry's meaning. */
export function parsePax(bytes: Uint8Array): PaxOverrides {
  let path: Uint8Array | undefined;
  let sizeBytes: number | undefined;
  let offset = 0;
  while (offset < bytes.length) {
    const { key, value, end } = recordAt(bytes, offset);
    if (CHANGES_MEANING.test(key)) throw damaged('it uses sparse files, links or other encodings of names');
    if (key === 'path') {
      if (path !== undefined) throw damaged('an entry has two names');
      path = value;
    }
    if (key === 'size') {
      const text = String.fromCharCode(...value);
      if (sizeBytes !== undefined || !/^\d{1,15}$/.test(text))
        throw damaged('an entry has two sizes, or a malformed one');
      sizeBytes = Number(text);
    }
    offset = end;
  }
  return { path, sizeBytes };
}

function recordAt(bytes: Uint8Array, offset: number): { key: string; value: Uint8Array; end: number } {
  const space = bytes.indexOf(0x20, offset);
  const length = space === -1 ? '' : String.fromCharCode(...bytes.subarray(offset, Math.min(space, offset + 10)));
  const end = offset + Number(length);
  if (!/^[1-9]\d{0,8}$/.test(length) || end > bytes.length || end <= space + 1 || bytes[end - 1] !== 0x0a) {
    throw damaged('an attribute’s length is wrong');
  }
  const record = bytes.subarray(space + 1, end - 1);
  const equals = record.indexOf(0x3d);
  if (equals < 1) throw damaged('an attribute has no name');
  return { key: String.fromCharCode(...record.subarray(0, equals)), value: record.subarray(equals + 1), end };
}
