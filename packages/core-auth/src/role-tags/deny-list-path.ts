/** Which tag a deny-list path speaks of (DENY-2): the tag as it is, or its base64, in one layer. */
import { decodeBase64, decodeBase64Url, decodeUtf8 } from '@postern/kernel';
import { parseRoleTag, type UnverifiedRoleTag } from './role-tag.js';

/** Characters: base64 of the longest tag, and no text that could be more. */
const MAX_PATH_CHARACTERS = 340;

/**
 * Reads raw text, standard base64 or URL-safe base64 (padded or not). A tag holds colons and base64 none, so a text is
 * only ever one of them, and what comes out of base64 is never decoded again.
 *
 * @param text the rest of the path, percent-decoded once.
 * @returns undefined where it is no tag in its only spelling; nothing of that kind is ever on the list.
 */
export function parseTagPath(text: string): UnverifiedRoleTag | undefined {
  if (text.length > MAX_PATH_CHARACTERS) return undefined;
  if (text.includes(':')) return parseRoleTag(text);
  const bytes = decodeBase64(text) ?? decodeBase64Url(withoutPadding(text));
  const decoded = bytes === undefined ? undefined : decodeUtf8(bytes);
  return decoded === undefined ? undefined : parseRoleTag(decoded);
}

/** Many encoders pad the URL-safe alphabet too. */
function withoutPadding(text: string): string {
  if (text.length % 4 !== 0 || !text.endsWith('=')) return text;
  return text.slice(0, text.endsWith('==') ? -2 : -1);
}
