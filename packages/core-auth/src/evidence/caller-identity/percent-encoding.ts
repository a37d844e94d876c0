/**
 * Percent-encoding as Signature Version 4 canonicalises a query: unreserved characters as they are, every other byte as
 * `%XX` in upper case. A text is decoded once and encoded again, so that what goes out has one spelling and the signature,
 * which covers the canonical form, still holds (STS-8).
 */

/** A plus sign is a space to some readers and itself to others: it must come as `%2B`. */
const ENCODED = /^(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})*$/;
const TRIPLET = /%([0-9A-Fa-f]{2})/g;
const RESERVED = /[^A-Za-z0-9._~-]/g;
const ASCII = /^[ -~]*$/;

/** The text, or undefined where it is not encoded, or holds anything but printable ASCII. */
export function decodePercent(encoded: string): string | undefined {
  if (!ENCODED.test(encoded)) return undefined;
  const text = encoded.replace(TRIPLET, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return ASCII.test(text) ? text : undefined;
}

/** The canonical encoding of printable ASCII. */
export function encodePercent(text: string): string {
  return text.replace(RESERVED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
