/**
 * The path and the query of a canonical request: RFC 3986 encoding of every byte but the unreserved ones, upper-case hex;
 * a path normalised; a query decoded, encoded and sorted by name and then by value.
 */
import { type PathRules, splitTarget } from './wire-request.js';

const UNRESERVED = /[A-Za-z0-9\-._~]/;

/** Encodes the UTF-8 bytes of a text; `spared` are further characters to leave alone. */
export function uriEncode(text: string, spared = ''): string {
  let out = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const character = String.fromCharCode(byte);
    const stays = byte < 0x80 && (UNRESERVED.test(character) || spared.includes(character));
    out += stays ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** Decodes `%XX`; a `%` without two hex digits stands for itself, and so does `+`. */
export function uriDecode(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const digits = bytes.toString('latin1', at + 1, at + 3);
    if (bytes[at] === 0x25 && /^[0-9A-Fa-f]{2}$/.test(digits)) {
      out.push(Number.parseInt(digits, 16));
      at += 2;
    } else {
      out.push(bytes[at] ?? 0);
    }
  }
  return Buffer.from(out).toString('utf8');
}

export function canonicalPath(path: string, { normalizePath = true, pathEncoding = 'double' }: PathRules = {}): string {
  const plain = pathEncoding === 'single' ? uriDecode(path) : path;
  return uriEncode(normalizePath ? normalized(plain) : plain || '/', '/');
}

function normalized(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/');
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const last = segments.at(-1);
  const endsInSlash = kept.length > 0 && (last === '' || last === '.' || last === '..');
  return `/${kept.join('/')}${endsInSlash ? '/' : ''}`;
}

/** Names and values of a query, decoded, in order; a name without `=` has an empty value. */
export function queryPairs(query: string): readonly (readonly [name: string, value: string])[] {
  return query
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const mark = piece.indexOf('=');
      return mark < 0
        ? ([uriDecode(piece), ''] as const)
        : ([uriDecode(piece.slice(0, mark)), uriDecode(piece.slice(mark + 1))] as const);
    });
}

/** The canonical query of a target. `X-Amz-Signature` is never part of what is signed. */
export function canonicalQuery(target: string, omit: readonly string[] = ['X-Amz-Signature']): string {
  return queryPairs(splitTarget(target).query)
    .filter(([name]) => !omit.includes(name))
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
