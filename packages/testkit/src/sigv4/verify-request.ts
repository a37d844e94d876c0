/**
 * Verifies a signed request as STS does: everything is recomputed from what arrived, host and body included, and nothing
 * that the request says of itself is believed.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@postern/ports';
import { amzDateText, parseAmzDate } from './amz-date.js';
import { canonicalRequest, sha256Hex, signatureOf, stringToSign } from './canonical-request.js';
import { parseProof, type UnverifiedProof } from './parse-proof.js';
import { refusal, type SigV4Refusal } from './refusal.js';
import {
  headerValues,
  type PathRules,
  type SigningScope,
  type SigV4Credentials,
  type WireRequest,
} from './wire-request.js';

/** How long a signature stays good, and how far ahead its clock may be. */
export const SIGNATURE_AGE_LIMIT_MS = 15 * 60_000;
export const SIGNATURE_LEAD_LIMIT_MS = 5 * 60_000;

/** A key as the verifier's own side knows it. */
export interface KnownKey extends SigV4Credentials {
  /** Past this instant the credentials are refused; never unless told. */
  readonly expiresAt?: number;
}

export interface VerifierOptions extends PathRules {
  readonly clock: Clock;
  /** Finds a key; undefined refuses it as unknown. */
  readonly keyOf: (accessKeyId: string) => KnownKey | undefined;
  readonly service: string;
  /** Whether a scope may name this region. */
  readonly acceptsRegion: (region: string) => boolean;
  /** Holds presigned requests to their `X-Amz-Expires`. False unless told: STS ignores it (THREAT-24). */
  readonly honoursExpires?: boolean;
}

export interface SigV4Verified {
  readonly ok: true;
  readonly form: 'header' | 'query';
  readonly accessKeyId: string;
  readonly scope: SigningScope;
  readonly signedNames: readonly string[];
}

export type SigV4Verdict = SigV4Verified | SigV4Refusal;

/** Says whether the request is signed by a known key, and if not, why, in AWS's own code. */
export function verifySignedRequest(request: WireRequest, options: VerifierOptions): SigV4Verdict {
  const proof = parseProof(request);
  if ('ok' in proof) return proof;
  const known = options.keyOf(proof.accessKeyId);
  if (known === undefined) return refusal('unknown_key');
  return (
    refuseToken(proof, known, options) ??
    refuseScope(proof, options) ??
    refuseTime(proof, options) ??
    refuseHeaders(request, proof) ??
    refuseSignature(request, proof, known, options) ?? {
      ok: true,
      form: proof.form,
      accessKeyId: proof.accessKeyId,
      scope: proof.scope,
      signedNames: proof.signedNames,
    }
  );
}

function refuseToken(proof: UnverifiedProof, known: KnownKey, { clock }: VerifierOptions): SigV4Refusal | undefined {
  if (proof.sessionToken !== known.sessionToken) return refusal('wrong_session_token');
  const isExpired = known.expiresAt !== undefined && clock.now() >= known.expiresAt;
  return isExpired ? refusal('credentials_expired') : undefined;
}

function refuseScope({ scope, amzDate }: UnverifiedProof, options: VerifierOptions): SigV4Refusal | undefined {
  if (scope.service !== options.service) {
    return refusal('wrong_scope', `Credential should be scoped to correct service: '${options.service}'.`);
  }
  if (!options.acceptsRegion(scope.region)) {
    return refusal('wrong_scope', 'Credential should be scoped to a valid region.');
  }
  if (scope.date !== amzDate.slice(0, 8)) {
    return refusal('wrong_scope', 'Date in Credential scope does not match that of the request.');
  }
  return undefined;
}

function refuseTime({ amzDate, expires }: UnverifiedProof, options: VerifierOptions): SigV4Refusal | undefined {
  const signedAt = parseAmzDate(amzDate);
  if (signedAt === undefined) return refusal('malformed_date');
  const now = options.clock.now();
  const nowText = amzDateText(now);
  const oldest = now - SIGNATURE_AGE_LIMIT_MS;
  const newest = now + SIGNATURE_LEAD_LIMIT_MS;
  if (signedAt < oldest) {
    const text = `Signature expired: ${amzDate} is now earlier than ${amzDateText(oldest)} (${nowText} - 15 min.)`;
    return refusal('signature_expired', text);
  }
  if (signedAt > newest) {
    const text = `Signature not yet current: ${amzDate} is still later than ${amzDateText(newest)} (${nowText} + 5 min.)`;
    return refusal('signature_not_yet_current', text);
  }
  if (options.honoursExpires === true && expires !== undefined) {
    if (!/^\d{1,6}$/.test(expires)) return refusal('malformed_proof');
    if (now > signedAt + Number(expires) * 1_000) return refusal('presigned_request_expired');
  }
  return undefined;
}

/** The host must be signed, or a proof made for one service could be shown to another. */
function refuseHeaders({ headers, body }: WireRequest, { signedNames }: UnverifiedProof): SigV4Refusal | undefined {
  if (!signedNames.includes('host')) return refusal('host_not_signed');
  if (signedNames.some((name) => headerValues(headers, name).length === 0)) return refusal('signed_header_missing');
  const actual = sha256Hex(body);
  const claims = headerValues(headers, 'x-amz-content-sha256');
  return claims.some((claim) => claim !== actual) ? refusal('content_hash_differs') : undefined;
}

function refuseSignature(
  request: WireRequest,
  proof: UnverifiedProof,
  known: KnownKey,
  rules: PathRules,
): SigV4Refusal | undefined {
  const canonical = canonicalRequest(request, proof.signedNames, rules);
  const toSign = stringToSign(proof.amzDate, proof.scope, canonical);
  const expected = Buffer.from(signatureOf(known.secretAccessKey, proof.scope, toSign));
  const given = Buffer.from(proof.signature);
  const isEqual = given.length === expected.length && timingSafeEqual(given, expected);
  return isEqual ? undefined : refusal('signature_differs');
}
