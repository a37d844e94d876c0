/**
 * The URL of a signed request (STS-2, THREAT-17, THREAT-19, THREAT-26, STS-15): `https`, exactly the name of a
 * host at which STS answers or the operator's own, path `/`; with GET the query of a presigned GetCallerIdentity. What is
 * left after each comparison must be empty, so no URL parser can be tricked.
 */
import { decodeBase64, decodeUtf8 } from '@postern/kernel';
import { unverified } from '../../errors.js';
import { isKnownStsHost } from './sts-target.js';

/** A presigned URL is two to five thousand characters long, its session token being the most of it. */
const MAX_URL_CHARACTERS = 16 * 1024;

const SCHEME = 'https://';

/** The parameters that a presigned GetCallerIdentity may have, and in this spelling only (CVE-2022-2385). */
const QUERY_NAMES = [
  'Action',
  'Version',
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-Security-Token',
  'X-Amz-Signature',
  'X-Amz-SignedHeaders',
  'X-Amz-User-Agent',
] as const;

export type QueryName = (typeof QUERY_NAMES)[number];

/** Decoded values by exact name. */
export type QueryFields = ReadonlyMap<QueryName, string>;

export interface RequestUrl {
  /** As the client signed it. */
  readonly host: string;
  /** Without the question mark; undefined if absent. */
  readonly query: string | undefined;
}

/**
 * @param ownHost host, with its port where it has one, of the operator's endpoint: legal beside the known ones.
 * @throws AuthError `evidence_unverified`, reason `url_…`.
 */
export function parseRequestUrl(encoded: string, ownHost: string | undefined): RequestUrl {
  if (encoded.length > MAX_URL_CHARACTERS) throw unverified('url_too_long');
  const bytes = decodeBase64(encoded);
  const url = bytes === undefined ? undefined : decodeUtf8(bytes);
  if (url === undefined) throw unverified('url_not_base64');
  if (!url.startsWith(SCHEME)) throw unverified('url_scheme');
  const mark = url.indexOf('?');
  const location = url.slice(SCHEME.length, mark < 0 ? undefined : mark);
  const slash = location.indexOf('/');
  const host = slash < 0 ? location : location.slice(0, slash);
  if (!isKnownStsHost(host) && (ownHost === undefined || host !== ownHost)) throw unverified('url_host_unknown');
  if (slash >= 0 && slash !== location.length - 1) throw unverified('url_path');
  return { host, query: mark < 0 ? undefined : url.slice(mark + 1) };
}

/** @throws AuthError `evidence_unverified`, reason `query_…`. */
export function parseQuery(query: string): QueryFields {
  const fields = new Map<QueryName, string>();
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const name = QUERY_NAMES.find((known) => known === pair.slice(0, equals));
    if (equals < 0 || name === undefined) throw unverified('query_parameter_unknown');
    if (fields.has(name)) throw unverified('query_parameter_repeated');
    const value = decodePercent(pair.slice(equals + 1));
    if (value === undefined || value === '') throw unverified('query_value_invalid');
    fields.set(name, value);
  }
  return fields;
}

/** A plus sign is a space to some readers and itself to others: it must come as `%2B`. */
const ENCODED = /^(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})*$/;
const TRIPLET = /%([0-9A-Fa-f]{2})/g;
const RESERVED = /[^A-Za-z0-9._~-]/g;
const ASCII = /^[ -~]*$/;

/** The text, or undefined where it is not encoded, or holds anything but printable ASCII. */
export function decodePercent(encoded: string): string | undefined {
  if (!ENCODED.test(encoded)) return undefined;
  const text = encoded.replace(TRIPLET, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return ASCII.test(text) ? text : undefined;
}

/** The canonical encoding of printable ASCII. */
export function encodePercent(text: string): string {
  return text.replace(RESERVED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
