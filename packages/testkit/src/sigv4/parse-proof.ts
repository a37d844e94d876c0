/**
 * Reads the proof out of a request: from its one Authorization header or from its query, never from both, each part exactly
 * once and in its exact spelling (THREAT-21, THREAT-26). Nothing is verified here.
 */
import { queryPairs } from './canonical-uri.js';
import { refusal, type SigV4Refusal } from './refusal.js';
import {
  ALGORITHM,
  headerValues,
  type SigningScope,
  splitTarget,
  TERMINATOR,
  type WireRequest,
} from './wire-request.js';

export interface UnverifiedProof {
  readonly form: 'header' | 'query';
  readonly accessKeyId: string;
  readonly scope: SigningScope;
  /** As the request spells it. */
  readonly amzDate: string;
  /** In the proof's order. */
  readonly signedNames: readonly string[];
  readonly signature: string;
  readonly sessionToken: string | undefined;
  /** Query form only, as sent. */
  readonly expires: string | undefined;
}

export function parseProof(request: WireRequest): UnverifiedProof | SigV4Refusal {
  const authorizations = headerValues(request.headers, 'authorization');
  const pairs = queryPairs(splitTarget(request.target).query);
  const isPresigned = pairs.some(([name]) => name === 'X-Amz-Algorithm' || name === 'X-Amz-Signature');
  if (authorizations.length === 0) return isPresigned ? fromQuery(pairs) : refusal('no_proof');
  const [authorization = ''] = authorizations;
  if (isPresigned || authorizations.length > 1) return refusal('malformed_proof');
  return fromHeader(request, authorization);
}

function fromHeader(request: WireRequest, authorization: string): UnverifiedProof | SigV4Refusal {
  if (!authorization.startsWith(`${ALGORITHM} `)) return refusal('malformed_proof');
  const parts = new Map<string, string>();
  for (const piece of authorization.slice(ALGORITHM.length).split(',')) {
    const [, name, value] = /^\s*(Credential|SignedHeaders|Signature)=(\S+)\s*$/.exec(piece) ?? [];
    if (name === undefined || value === undefined || parts.has(name)) return refusal('malformed_proof');
    parts.set(name, value);
  }
  const amzDates = headerValues(request.headers, 'x-amz-date');
  const dates = amzDates.length > 0 ? amzDates : headerValues(request.headers, 'date');
  if (dates.length !== 1) return refusal('malformed_date');
  const tokens = headerValues(request.headers, 'x-amz-security-token');
  return assembled('header', {
    credential: parts.get('Credential'),
    signedHeaders: parts.get('SignedHeaders'),
    signature: parts.get('Signature'),
    amzDate: dates[0],
    sessionToken: tokens.length === 0 ? undefined : tokens.join(','),
    expires: undefined,
  });
}

const QUERY_NAMES = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-Security-Token',
  'X-Amz-Signature',
  'X-Amz-SignedHeaders',
];

function fromQuery(pairs: readonly (readonly [string, string])[]): UnverifiedProof | SigV4Refusal {
  const parts = new Map<string, string>();
  for (const [name, value] of pairs) {
    const known = QUERY_NAMES.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
    if (known === undefined) continue;
    if (name !== known || parts.has(known)) return refusal('malformed_proof');
    parts.set(known, value);
  }
  if (parts.get('X-Amz-Algorithm') !== ALGORITHM) return refusal('malformed_proof');
  return assembled('query', {
    credential: parts.get('X-Amz-Credential'),
    signedHeaders: parts.get('X-Amz-SignedHeaders'),
    signature: parts.get('X-Amz-Signature'),
    amzDate: parts.get('X-Amz-Date'),
    sessionToken: parts.get('X-Amz-Security-Token'),
    expires: parts.get('X-Amz-Expires'),
  });
}

interface Parts {
  readonly credential: string | undefined;
  readonly signedHeaders: string | undefined;
  readonly signature: string | undefined;
  readonly amzDate: string | undefined;
  readonly sessionToken: string | undefined;
  readonly expires: string | undefined;
}

function assembled(form: 'header' | 'query', parts: Parts): UnverifiedProof | SigV4Refusal {
  const { credential, signedHeaders, signature, amzDate, sessionToken, expires } = parts;
  if (!credential || !signedHeaders || !signature || !amzDate) return refusal('malformed_proof');
  const [accessKeyId, date, region, service, terminator, ...rest] = credential.split('/');
  if (!accessKeyId || !date || !region || !service || terminator === undefined || rest.length > 0) {
    return refusal('malformed_proof');
  }
  if (terminator !== TERMINATOR) return refusal('wrong_scope');
  const scope = { date, region, service };
  return { form, accessKeyId, scope, amzDate, signedNames: signedHeaders.split(';'), signature, sessionToken, expires };
}
