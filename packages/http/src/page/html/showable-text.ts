/**
 * Text of strangers on its way to a page (PAGE-2). Escaping keeps it from becoming markup; this keeps it from acting as
 * text: escape sequences for whoever copies it into a terminal, and characters that reorder what stands after them.
 */

/** Control characters but newline and tab, separators, halves of pairs, embeddings, overrides and isolates. */
const UNSHOWABLE = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/** Each such character becomes U+FFFD, so that a reader sees that there was something; CR LF becomes LF. */
export function showable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSHOWABLE, '\ufffd');
}

/** The beginning of a text, cut between characters, with an ellipsis where there was more. */
export function excerpt(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
