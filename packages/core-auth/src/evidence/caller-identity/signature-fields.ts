/**
 * What a request says of its signature (STS-7, THREAT-21, THREAT-23, THREAT-24): the one Authorization header of a POST, or
 * the parameters of a presigned GET. Each part once, in one spelling; the header is written anew from these parts, so a
 * second scheme, a second list or anything a greedy reader could pick up never leaves. STS alone knows whether it holds.
 */

import { parseRfc3339 } from '@postern/kernel';
import type { EpochMillis } from '@postern/ports';
import { type AuthError, unverified } from '../../errors.js';
import type { PresignedGet, SignedPost, SignedRequest } from './signed-request.js';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const PARTS = ['Credential', 'SignedHeaders', 'Signature'] as const;
type Part = (typeof PARTS)[number];

const CREDENTIAL = /^\w{1,128}\/(\d{8})\/([a-z0-9-]{1,64})\/sts\/aws4_request$/;
/** Lower case as it is signed: an entry in upper case names no header. */
const SIGNED_HEADERS = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}(?:;[!#$%&'*+.^_`|~0-9a-z-]{1,256}){0,63}$/;
/** One spelling, so that a replayed signature is recognised (THREAT-24). */
const SIGNATURE = /^[0-9a-f]{64}$/;
/** STS takes a week at most, and judges by 15 minutes all the same. */
const EXPIRES = /^\d{1,6}$/;

/** Well-formed, not verified. */
export interface SignatureFields {
  readonly credential: string;
  /** Of the credential scope; any lower-case text. */
  readonly region: string;
  readonly signedAt: EpochMillis;
  /** Lower-case names, none twice, in the order signed. */
  readonly signedHeaders: readonly string[];
  /** 64 hexadecimal digits: never logged. */
  readonly signature: string;
}

/** @throws AuthError `evidence_unverified`, reason `authorization_…`, `signature_…`, `query_…`. */
export function parseSignatureFields(request: SignedRequest): SignatureFields {
  return request.method === 'POST' ? fieldsOfHeader(request) : fieldsOfQuery(request);
}

/** The canonical Authorization header of a POST. */
export function formatAuthorization({ credential, signedHeaders, signature }: SignatureFields): string {
  return `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
}

function fieldsOfHeader({ headers }: SignedPost): SignatureFields {
  const [authorization, ...others] = headers.get('authorization') ?? [];
  if (authorization === undefined) throw unverified('authorization_missing');
  if (others.length > 0) throw unverified('authorization_repeated');
  const parts = splitAuthorization(authorization);
  const [date, ...otherDates] = headers.get('x-amz-date') ?? [];
  if (otherDates.length > 0) throw unverified('signature_date_repeated');
  return checkFields((name) => parts.get(name), date, 'authorization_malformed');
}

function fieldsOfQuery({ headers, query }: PresignedGet): SignatureFields {
  if (headers.has('authorization')) throw unverified('authorization_with_query');
  if (query.get('X-Amz-Algorithm') !== ALGORITHM) throw unverified('query_algorithm');
  if (!EXPIRES.test(query.get('X-Amz-Expires') ?? '0')) throw unverified('query_expires');
  return checkFields((name) => query.get(`X-Amz-${name}`), query.get('X-Amz-Date'), 'query_signature_incomplete');
}

/** One space after the scheme; parts by comma, with or without one space; each of the three once and nothing else. */
function splitAuthorization(text: string): ReadonlyMap<Part, string> {
  if (!text.startsWith(`${ALGORITHM} `)) throw unverified('authorization_scheme');
  const parts = new Map<Part, string>();
  for (const piece of text.slice(ALGORITHM.length + 1).split(',')) {
    const part = piece.startsWith(' ') ? piece.slice(1) : piece;
    const equals = part.indexOf('=');
    const name = PARTS.find((known) => known === part.slice(0, equals));
    if (equals < 0 || name === undefined) throw unverified('authorization_malformed');
    if (parts.has(name)) throw unverified('authorization_part_repeated');
    parts.set(name, part.slice(equals + 1));
  }
  return parts;
}

function checkFields(
  get: (part: Part) => string | undefined,
  date: string | undefined,
  incomplete: string,
): SignatureFields {
  const [credential, list, signature] = PARTS.map(get);
  if (credential === undefined || list === undefined || signature === undefined) throw unverified(incomplete);
  const [, scopeDate, region] = CREDENTIAL.exec(credential) ?? [];
  if (scopeDate === undefined || region === undefined) throw unverified('signature_credential');
  if (!SIGNATURE.test(signature)) throw unverified('signature_malformed');
  return { credential, region, signedAt: instantOf(date, scopeDate), signedHeaders: namesOf(list), signature };
}

function namesOf(list: string): readonly string[] {
  const names = SIGNED_HEADERS.test(list) ? list.split(';') : [];
  if (names.length === 0 || new Set(names).size !== names.length) throw unverified('signature_header_list');
  return names;
}

function instantOf(date: string | undefined, scopeDate: string): EpochMillis {
  const signedAt = date === undefined ? undefined : parseAmzDate(date);
  if (date === undefined || signedAt === undefined) throw dateRefused(date);
  if (date.slice(0, scopeDate.length) !== scopeDate) throw unverified('signature_scope_date');
  return signedAt;
}

function dateRefused(date: string | undefined): AuthError {
  return unverified(date === undefined ? 'signature_date_missing' : 'signature_date_malformed');
}

const PATTERN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** The instant, or undefined where the text names none. */
export function parseAmzDate(text: string): EpochMillis | undefined {
  return PATTERN.test(text) ? parseRfc3339(text.replace(PATTERN, '$1-$2-$3T$4:$5:$6Z')) : undefined;
}
