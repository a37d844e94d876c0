/** UTF-8 without repair: text that is not well-formed is refused, a byte order mark is kept (THREAT-13). */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 bytes of a text. Lone surrogates become U+FFFD: compare texts before encoding where that matters. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text, or undefined where the bytes are not well-formed UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
