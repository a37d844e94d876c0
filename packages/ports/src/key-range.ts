/** Which bytes an adapter with an ordered index looks between: keys under a prefix, from a place on. */
import { compareUtf8 } from './storage-validation.js';

/** Greater than every key: no byte of UTF-8 is 0xFF. */
const AFTER_ALL_KEYS = Uint8Array.of(0xff);

const encoder = new TextEncoder();

export interface KeyRange {
  /** The least byte string that may be in it. */
  readonly from: Uint8Array;
  /** The least that is beyond it. */
  readonly before: Uint8Array;
}

/**
 * @param prefix well-formed text.
 * @param after only keys after this one, which need not be under the prefix.
 */
export function keyRange(prefix: string, after?: string): KeyRange {
  // No key lies between one and itself with U+0000 behind it.
  const following = after === undefined ? prefix : `${after}\u0000`;
  const from = compareUtf8(following, prefix) > 0 ? following : prefix;
  return { from: encoder.encode(from), before: endOfPrefix(prefix) };
}

/** The least byte string after everything that begins with the prefix; the last byte of UTF-8 is never 0xFF. */
function endOfPrefix(prefix: string): Uint8Array {
  const end = encoder.encode(prefix);
  const last = end.at(-1);
  if (last === undefined) return AFTER_ALL_KEYS;
  end[end.length - 1] = last + 1;
  return end;
}
