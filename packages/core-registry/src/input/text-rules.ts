/**
 * Which texts a registry keeps and shows to strangers, in browsers and in terminals that print them raw (REG-5, CHECK-3):
 * no escape sequences, nothing that reorders or hides what follows it, no link that runs code.
 */

export const MAX_REASON_CHARACTERS = 2000;
export const MAX_LINK_CHARACTERS = 2000;

/**
 * Control characters (C0, DEL, C1) but newline and tab, line and paragraph separators, embeddings, overrides and isolates
 * of bidirectional text, and halves of surrogate pairs.
 */
const UNSHOWABLE = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** Characters count as code points. */
export function isReason(text: string): boolean {
  // A code point has two units at most: a megabyte is refused before it is looked at.
  if (text.length > MAX_REASON_CHARACTERS * 2) return false;
  return !UNSHOWABLE.test(text) && [...text].length <= MAX_REASON_CHARACTERS;
}

/**
 * Printable ASCII without quotes, angle brackets and backslash (which URL readers take for a slash): what is left means
 * the same to every reader, and cannot leave an attribute or a Markdown link. Other characters are percent-encoded.
 */
const PLAIN_LINK = /^https?:\/\/[!-~]+$/i;
const FORBIDDEN_IN_LINK = /["<>\\^`{|}]/;
/** User info, empty or not: `https://registry.example@evil.example/` shows one host and opens another. */
const USER_INFO = /^https?:\/\/[^/?#]*@/i;

/** An absolute `http` or `https` URL without user info. */
export function isLink(text: string): boolean {
  if (text.length > MAX_LINK_CHARACTERS || !PLAIN_LINK.test(text)) return false;
  if (FORBIDDEN_IN_LINK.test(text) || USER_INFO.test(text)) return false;
  return hasHost(text);
}

/** Not `https:///x`, which readers take for the host `x`; not what cannot be parsed. */
function hasHost(text: string): boolean {
  if (/^https?:\/\/[/?#]/i.test(text)) return false;
  try {
    return new URL(text).hostname !== '';
  } catch {
    return false;
  }
}
