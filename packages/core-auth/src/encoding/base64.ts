/**
 * One dialect of base64 (threat P13): standard alphabet, padded, canonical. Lenient decoders give many texts to one
 * value, and with that many spellings of one proof; here every value has exactly one text.
 */
const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Has bits above the six of a digit, so that one OR over four digits finds any bad one. */
const INVALID = 0xff;
const PAD = 0x3d;

const STANDARD_DIGITS = digitsOf(STANDARD);
const URL_SAFE_DIGITS = digitsOf(URL_SAFE);

export interface DecodeBase64Options {
  /** Skip CR and LF wherever they stand, as metadata services wrap their values. No other white space. */
  readonly ignoreLineBreaks?: boolean;
}

/** The bytes, or undefined where the text is not canonical padded base64. */
export function decodeBase64(text: string, options: DecodeBase64Options = {}): Uint8Array | undefined {
  const digits = options.ignoreLineBreaks === true ? withoutLineBreaks(text) : text;
  const length = digits.length;
  if (length % 4 !== 0) return undefined;
  if (digits.charCodeAt(length - 1) !== PAD) return decodeDigits(digits, length, STANDARD_DIGITS);
  const end = digits.charCodeAt(length - 2) === PAD ? length - 2 : length - 1;
  return decodeDigits(digits, end, STANDARD_DIGITS);
}

/** Padded base64 of the standard alphabet, in one line. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encodeDigits(bytes, STANDARD);
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** The bytes, or undefined where the text is not canonical base64url without padding. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  return decodeDigits(text, text.length, URL_SAFE_DIGITS);
}

/** Base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeDigits(bytes, URL_SAFE);
}

function digitsOf(alphabet: string): Uint8Array {
  const table = new Uint8Array(128).fill(INVALID);
  for (let value = 0; value < alphabet.length; value += 1) table[alphabet.charCodeAt(value)] = value;
  return table;
}

function withoutLineBreaks(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/g, '') : text;
}

/** Decodes the first `end` characters. A last group of one digit, or unused bits that are not zero, are refused. */
function decodeDigits(text: string, end: number, table: Uint8Array): Uint8Array | undefined {
  const tail = end % 4;
  if (tail === 1) return undefined;
  const whole = end - tail;
  const bytes = new Uint8Array((whole / 4) * 3 + (tail === 0 ? 0 : tail - 1));
  const digit = (at: number): number => table[text.charCodeAt(at)] ?? INVALID;
  let out = 0;
  for (let at = 0; at < whole; at += 4) {
    const a = digit(at);
    const b = digit(at + 1);
    const c = digit(at + 2);
    const d = digit(at + 3);
    if ((a | b | c | d) > 63) return undefined;
    bytes[out] = (a << 2) | (b >> 4);
    bytes[out + 1] = (b << 4) | (c >> 2);
    bytes[out + 2] = (c << 6) | d;
    out += 3;
  }
  if (tail === 0) return bytes;
  const a = digit(whole);
  const b = digit(whole + 1);
  const c = tail === 3 ? digit(whole + 2) : 0;
  if ((a | b | c) > 63) return undefined;
  if (tail === 2 ? (b & 0x0f) !== 0 : (c & 0x03) !== 0) return undefined;
  bytes[out] = (a << 2) | (b >> 4);
  if (tail === 3) bytes[out + 1] = (b << 4) | (c >> 2);
  return bytes;
}

function encodeDigits(bytes: Uint8Array, alphabet: string): string {
  const length = bytes.length;
  const whole = length - (length % 3);
  let text = '';
  for (let at = 0; at < whole; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text +=
      alphabet.charAt(group >> 18) +
      alphabet.charAt((group >> 12) & 63) +
      alphabet.charAt((group >> 6) & 63) +
      alphabet.charAt(group & 63);
  }
  if (whole === length) return text;
  const first = bytes[whole] ?? 0;
  if (length - whole === 1) return text + alphabet.charAt(first >> 2) + alphabet.charAt((first << 4) & 63);
  const group = (first << 8) | (bytes[whole + 1] ?? 0);
  return text + alphabet.charAt(group >> 10) + alphabet.charAt((group >> 4) & 63) + alphabet.charAt((group << 2) & 63);
}
