/**
 * Bytes as text and back: base64, UTF-8, hexadecimal, UUIDs; and their comparison. One dialect of base64 (THREAT-13): standard
 * alphabet, padded, canonical, because a lenient decoder gives one proof many spellings. UTF-8 without repair: text that is not
 * well-formed is rejected, a byte order mark is kept (THREAT-13). Pure: the cores know neither Buffer nor `Uint8Array.prototype.toHex`.
 */
import type { RandomSource } from '@postern/ports';

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Has bits above the six of a digit, so that one OR over four digits finds any bad one. */
const INVALID = 0xff;
const PAD = 0x3d;
const LF = 0x0a;
const CR = 0x0d;

const STANDARD_DIGITS = digitsOf(STANDARD);
const URL_SAFE_DIGITS = digitsOf(URL_SAFE);

export interface DecodeBase64Options {
  /** Skip CR and LF wherever they stand, as metadata services wrap their values. No other white space. */
  readonly ignoreLineBreaks?: boolean;
}

/** The bytes, or undefined where the text is not canonical padded base64. */
export function decodeBase64(text: string, options: DecodeBase64Options = {}): Uint8Array | undefined {
  if (options.ignoreLineBreaks !== true) return decodePadded(text);
  return decodeLines(text) ?? decodePadded(text.replaceAll(/[\r\n]/g, ''));
}

/** Padded base64 of the standard alphabet, in one line. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encodeDigits(bytes, STANDARD);
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** The bytes, or undefined where the text is not canonical base64url without padding. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  return decodeDigits(encodeUtf8(text), text.length, URL_SAFE_DIGITS);
}

/** Base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeDigits(bytes, URL_SAFE);
}

function digitsOf(alphabet: string): Uint8Array {
  const table = new Uint8Array(256).fill(INVALID);
  for (let value = 0; value < alphabet.length; value += 1) table[alphabet.charCodeAt(value)] = value;
  return table;
}

function decodePadded(text: string): Uint8Array | undefined {
  const length = text.length;
  if (length % 4 !== 0) return undefined;
  const codes = encodeUtf8(text);
  if (text.charCodeAt(length - 1) !== PAD) return decodeDigits(codes, length, STANDARD_DIGITS);
  const end = text.charCodeAt(length - 2) === PAD ? length - 2 : length - 1;
  return decodeDigits(codes, end, STANDARD_DIGITS);
}

/**
 * The usual wrapping, lines of whole groups of four, without first making a text without breaks: the hot path of a login.
 * Undefined for anything else, valid or not. Decodes in place, as `decodeDigits` does.
 */
function decodeLines(text: string): Uint8Array | undefined {
  const codes = encodeUtf8(text);
  const length = codes.length;
  const digit = (at: number): number => STANDARD_DIGITS[codes[at] ?? INVALID] ?? INVALID;
  let out = 0;
  let at = 0;
  while (at + 4 <= length) {
    const a = digit(at);
    const b = digit(at + 1);
    const c = digit(at + 2);
    const d = digit(at + 3);
    if ((a | b | c | d) > 63) {
      if (!isLineBreak(codes[at])) break;
      at += 1;
      continue;
    }
    codes[out] = (a << 2) | (b >> 4);
    codes[out + 1] = (b << 4) | (c >> 2);
    codes[out + 2] = (c << 6) | d;
    out += 3;
    at += 4;
  }
  let end = length;
  while (end > at && isLineBreak(codes[end - 1])) end -= 1;
  if (end === at) return codes.subarray(0, out);
  const last = end - at === 4 ? decodePadded(text.slice(at, end)) : undefined;
  if (last === undefined) return undefined;
  codes.set(last, out);
  return codes.subarray(0, out + last.length);
}

function isLineBreak(code: number | undefined): boolean {
  return code === LF || code === CR;
}

/**
 * Decodes the first `end` characters, given as their UTF-8 bytes: a typed array is read faster than a string. Three bytes
 * take the place of four that were read, so no second array is needed: its allocation would cost as much as the decoding.
 *
 * The first character that is not ASCII stands where its first byte does, and that byte is not a digit. A last group of one
 * digit, or unused bits that are not zero, are refused.
 */
function decodeDigits(codes: Uint8Array, end: number, table: Uint8Array): Uint8Array | undefined {
  const tail = end % 4;
  if (tail === 1) return undefined;
  const whole = end - tail;
  const digit = (at: number): number => table[codes[at] ?? INVALID] ?? INVALID;
  let out = 0;
  for (let at = 0; at < whole; at += 4) {
    const a = digit(at);
    const b = digit(at + 1);
    const c = digit(at + 2);
    const d = digit(at + 3);
    if ((a | b | c | d) > 63) return undefined;
    codes[out] = (a << 2) | (b >> 4);
    codes[out + 1] = (b << 4) | (c >> 2);
    codes[out + 2] = (c << 6) | d;
    out += 3;
  }
  if (tail === 0) return codes.subarray(0, out);
  const a = digit(whole);
  const b = digit(whole + 1);
  const c = tail === 3 ? digit(whole + 2) : 0;
  if ((a | b | c) > 63) return undefined;
  if (tail === 2 ? (b & 0x0f) !== 0 : (c & 0x03) !== 0) return undefined;
  codes[out] = (a << 2) | (b >> 4);
  if (tail === 2) return codes.subarray(0, out + 1);
  codes[out + 1] = (b << 4) | (c >> 2);
  return codes.subarray(0, out + 2);
}

/** Texts are made of character codes, all at once: joined from pieces, each piece would be an object until the text is read. */
const MAX_CODES = 4096;

function textOf(codes: readonly number[]): string {
  if (codes.length <= MAX_CODES) return String.fromCharCode(...codes);
  let text = '';
  for (let at = 0; at < codes.length; at += MAX_CODES) text += String.fromCharCode(...codes.slice(at, at + MAX_CODES));
  return text;
}

function encodeDigits(bytes: Uint8Array, alphabet: string): string {
  const length = bytes.length;
  const whole = length - (length % 3);
  const codes: number[] = [];
  for (let at = 0; at < whole; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes.push(
      alphabet.charCodeAt(group >> 18),
      alphabet.charCodeAt((group >> 12) & 63),
      alphabet.charCodeAt((group >> 6) & 63),
      alphabet.charCodeAt(group & 63),
    );
  }
  if (whole === length) return textOf(codes);
  const first = bytes[whole] ?? 0;
  if (length - whole === 1) {
    codes.push(alphabet.charCodeAt(first >> 2), alphabet.charCodeAt((first << 4) & 63));
    return textOf(codes);
  }
  const group = (first << 8) | (bytes[whole + 1] ?? 0);
  codes.push(
    alphabet.charCodeAt(group >> 10),
    alphabet.charCodeAt((group >> 4) & 63),
    alphabet.charCodeAt((group << 2) & 63),
  );
  return textOf(codes);
}

/** Text: UTF-8 without repair, and the case of ASCII. */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const SHORT = 256;
/** A unit of UTF-16 is three bytes at most. */
const scratch = new Uint8Array(SHORT * 3);

/** UTF-8 bytes of a text. Lone surrogates become U+FFFD: compare texts before encoding where that matters. */
export function encodeUtf8(text: string): Uint8Array {
  if (text.length > SHORT) return encoder.encode(text);
  // A quarter of the cost. The text may be a secret: it must not stay in this memory.
  const { written } = encoder.encodeInto(text, scratch);
  const bytes = scratch.slice(0, written);
  scratch.fill(0, 0, written);
  return bytes;
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
  return /[A-Z]/.test(text) ? text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : text;
}

const HEX = '0123456789abcdef';

/** Two lower-case digits a byte. */
export function encodeHex(bytes: Uint8Array): string {
  const codes: number[] = [];
  for (const byte of bytes) codes.push(HEX.charCodeAt(byte >> 4), HEX.charCodeAt(byte & 15));
  return textOf(codes);
}

/** A random UUID (RFC 9562, version 4): lower-case text with dashes; 122 random bits. */
export function createUuid(random: RandomSource): string {
  const bytes = random.bytes(16).slice();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  return formatUuid(bytes);
}

const DASH = 0x2d;

/** Sixteen bytes as UUID text; sets the variant bits, the caller has set the version. */
export function formatUuid(bytes: Uint8Array): string {
  const codes: number[] = [];
  for (let at = 0; at < 16; at += 1) {
    const byte = at === 8 ? ((bytes[at] ?? 0) & 0x3f) | 0x80 : (bytes[at] ?? 0);
    if (at === 4 || at === 6 || at === 8 || at === 10) codes.push(DASH);
    codes.push(HEX.charCodeAt(byte >> 4), HEX.charCodeAt(byte & 15));
  }
  return textOf(codes);
}

/**
 * Whether two arrays hold the same bytes, for secrets and MACs: the time depends on `expected.length` only, which is
 * public, never on where they differ.
 */
export function equalConstantTime(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) difference |= (given[at] ?? 0) ^ (expected[at] ?? 0);
  return difference === 0;
}
