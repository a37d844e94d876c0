/**
 * The canonical request of Signature Version 4, the string to sign, the key and the signature, as AWS documents them
 * ("Create a signed AWS API request").
 */
import { createHash, createHmac } from 'node:crypto';
import { canonicalPath, canonicalQuery } from './canonical-uri.js';
import {
  ALGORITHM,
  type HeaderList,
  headerValues,
  type PathRules,
  type SigningScope,
  splitTarget,
  TERMINATOR,
  type WireRequest,
} from './wire-request.js';

/** SHA-256 in lower-case hex; of nothing for an absent body. */
export function sha256Hex(data: string | Uint8Array | undefined): string {
  return createHash('sha256')
    .update(data ?? '')
    .digest('hex');
}

/** One line a name: lower case, values trimmed, inner white space folded, values of one name joined in order. */
export function canonicalHeaders(headers: HeaderList, signedNames: readonly string[]): string {
  return signedNames.map((name) => `${name}:${headerValues(headers, name).map(folded).join(',')}\n`).join('');
}

function folded(value: string): string {
  return value.replace(/\s+/g, ' ');
}

/** Lower-case names, each once, sorted. */
export function signedNamesOf(headers: HeaderList): readonly string[] {
  return [...new Set(headers.map(([name]) => name.toLowerCase()))].sort();
}

/**
 * The canonical request.
 *
 * @param signedNames lower-case header names in the order in which the proof lists them.
 */
export function canonicalRequest(request: WireRequest, signedNames: readonly string[], rules: PathRules = {}): string {
  return [
    request.method,
    canonicalPath(splitTarget(request.target).path, rules),
    canonicalQuery(request.target),
    canonicalHeaders(request.headers, signedNames),
    signedNames.join(';'),
    sha256Hex(request.body),
  ].join('\n');
}

export function scopeText({ date, region, service }: SigningScope): string {
  return [date, region, service, TERMINATOR].join('/');
}

/** @param amzDate `20150830T123600Z`. */
export function stringToSign(amzDate: string, scope: SigningScope, canonical: string): string {
  return [ALGORITHM, amzDate, scopeText(scope), sha256Hex(canonical)].join('\n');
}

export function signingKey(secretAccessKey: string, scope: SigningScope): Uint8Array {
  const steps = [scope.date, scope.region, scope.service, TERMINATOR];
  return steps.reduce<Uint8Array>(
    (key, step) => createHmac('sha256', key).update(step).digest(),
    Buffer.from(`AWS4${secretAccessKey}`, 'utf8'),
  );
}

/** 64 hex digits. */
export function signatureOf(secretAccessKey: string, scope: SigningScope, toSign: string): string {
  return createHmac('sha256', signingKey(secretAccessKey, scope)).update(toSign).digest('hex');
}
