/** Text: UTF-8 without repair, and the case of ASCII. */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 bytes of a text. Lone surrogates become U+FFFD: compare texts before encoding where that matters. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text, or undefined where the bytes are not well-formed UTF-8; a byte order mark is kept (THREAT-13). */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Lower case of ASCII letters only: no letter of another script may fold into a reserved name (THREAT-29). */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
