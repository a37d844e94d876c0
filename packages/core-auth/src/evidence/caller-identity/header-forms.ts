/**
 * The headers of a signed request in every form that clients send (STS-4):
 * an object of name → text, number or list; base64 of its JSON; its JSON; a list of `Name:value` texts. All become one
 * map; names that differ only in case are one header with several values, which every reader must reject (STS-7).
 */
import { decodeBase64, decodeUtf8, lowerAscii, PROTOTYPE_KEYS, parseStrictJson } from '@postern/kernel';
import { unverified } from '../../errors.js';

/** By lower-case name; every list has at least one value. */
export type HeaderFields = ReadonlyMap<string, readonly string[]>;

/** Real requests have about ten headers. */
export const MAX_HEADER_VALUES = 64;

/** Of all names and values together. A session token is the longest value: one to four thousand characters. */
export const MAX_HEADER_CHARACTERS = 32 * 1024;

/** Base64 is 4 characters for 3 bytes, JSON at most doubles a printable text. Against decoding what is refused anyway. */
const MAX_TEXT_CHARACTERS = MAX_HEADER_CHARACTERS * 3;

/** The object, and its lists of values. */
const MAX_JSON_DEPTH = 2;

/** A line break in a value would be a header, or a request, of the sender's own (THREAT-22). */
const PRINTABLE = /^[ -~]*$/;

/**
 * Syntax only: nothing says that a header is legal or signed.
 *
 * @throws AuthError `evidence_unverified`, reason `headers_…`.
 */
export function parseHeaderFields(headers: unknown): HeaderFields {
  const value = typeof headers === 'string' ? parseText(headers) : headers;
  if (typeof value !== 'object' || value === null) throw unverified('headers_form');
  const fields = new Map<string, string[]>();
  const budget = { values: MAX_HEADER_VALUES, characters: MAX_HEADER_CHARACTERS };
  const add = (name: string, text: string): void => {
    checkField(name, text);
    budget.values -= 1;
    budget.characters -= name.length + text.length;
    if (budget.values < 0 || budget.characters < 0) throw unverified('headers_too_large');
    const key = lowerAscii(name);
    const values = fields.get(key);
    if (values === undefined) fields.set(key, [text]);
    else values.push(text);
  };
  if (Array.isArray(value)) addLines(value, add);
  else addMembers(value, add);
  return fields;
}

function parseText(text: string): unknown {
  if (text.length > MAX_TEXT_CHARACTERS) throw unverified('headers_too_large');
  const bytes = decodeBase64(text);
  const json = bytes === undefined ? text : decodeUtf8(bytes);
  if (json === undefined) throw unverified('headers_not_utf8');
  const parsed = parseStrictJson(json, { maxDepth: MAX_JSON_DEPTH, refuseDuplicateKeys: true });
  if (!parsed.ok) throw unverified(`headers_${parsed.code}`);
  return parsed.value;
}

function addMembers(members: object, add: (name: string, text: string) => void): void {
  for (const [name, value] of Object.entries(members) as readonly (readonly [string, unknown])[]) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const item of values) add(name, textOf(item));
  }
}

function addLines(lines: readonly unknown[], add: (name: string, text: string) => void): void {
  for (const line of lines) {
    if (typeof line !== 'string') throw unverified('headers_value_type');
    const colon = line.indexOf(':');
    if (colon < 0) throw unverified('headers_line');
    add(line.slice(0, colon), withoutSpacesAround(line.slice(colon + 1)));
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw unverified('headers_value_type');
}

function checkField(name: string, text: string): void {
  if (PROTOTYPE_KEYS.has(name)) throw unverified('headers_name_forbidden');
  if (!isHeaderName(name)) throw unverified('headers_name_invalid');
  if (!PRINTABLE.test(text)) throw unverified('headers_value_invalid');
}

/** As a reader of header lines does. Loops, because an expression for trailing spaces takes quadratic time. */
function withoutSpacesAround(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  return text.slice(start, end);
}

/** RFC 9110 `token`. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;

export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** `x-amz-foo` → `X-Amz-Foo`: first letter and each after a dash in upper case, the others in lower case. */
export function canonicalHeaderName(name: string): string {
  const pieces = name.split('-').map((piece) => piece.slice(0, 1).toUpperCase() + piece.slice(1).toLowerCase());
  return pieces.join('-');
}

/** Canonical names without duplicates; the stored list, in its order, where both are the same set. */
export function mergeHeaderNames(stored: readonly string[], sent: readonly string[]): readonly string[] {
  const names = new Set(sent.map(canonicalHeaderName));
  const isSame = names.size === new Set(stored).size && stored.every((name) => names.has(name));
  return isSame ? stored : [...names];
}
