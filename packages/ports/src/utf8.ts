/** Text as its UTF-8 bytes, without making them: how long they are and how they compare. Keys are ordered by them. */

/**
 * The number of UTF-8 bytes of a text.
 *
 * @returns undefined when the text is not well-formed: a lone surrogate has no UTF-8, and an encoder that replaces it
 * would make two keys one.
 */
export function utf8Length(text: string): number | undefined {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
    } else if (unit < 0xd800 || unit > 0xdfff) {
      bytes += 2;
    } else {
      const low = text.charCodeAt(index + 1);
      // Past the end `low` is NaN, which fails both comparisons.
      if (unit > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) return undefined;
      bytes += 2;
      index += 1;
    }
  }
  return bytes;
}

/**
 * Compares two well-formed texts as their UTF-8 bytes compare: negative, zero or positive.
 *
 * JavaScript's own `<` compares UTF-16 units and puts U+FF5E after U+1F600; byte order puts it before.
 */
export function compareUtf8(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return byteRank(a) - byteRank(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above the whole BMP, so they rank after it. */
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
