/** One file as an entry of a tar archive (POSIX.1-1988 ustar): a header of 512 bytes, the content, and zeros to the next 512. */

const BLOCK_BYTES = 512;

/** @param path ASCII, at most 100 characters. */
export function tarEntry(path: string, content: Uint8Array): Uint8Array {
  const blocks = new Uint8Array(BLOCK_BYTES + Math.ceil(content.byteLength / BLOCK_BYTES) * BLOCK_BYTES);
  const put = (at: number, text: string) => blocks.set(new TextEncoder().encode(text), at);
  put(0, path);
  put(100, octal(0o644, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(content.byteLength, 12));
  put(136, octal(0, 12));
  // The checksum is taken with its own field as blanks.
  put(148, ' '.repeat(8));
  put(156, '0');
  put(257, 'ustar\u000000');
  const sum = blocks.subarray(0, BLOCK_BYTES).reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 7)} `);
  blocks.set(content, BLOCK_BYTES);
  return blocks;
}

/** Digits with a NUL behind them that fill the field. */
function octal(value: number, fieldBytes: number): string {
  return `${value.toString(8).padStart(fieldBytes - 1, '0')}\u0000`;
}
