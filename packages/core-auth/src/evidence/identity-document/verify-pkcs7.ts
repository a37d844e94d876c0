/** The first proof of an instance: a PKCS#7 document (DOC-2, DOC-3, DOC-5, DOC-9, DOC-10, DOC-6, THREAT-1 to THREAT-11). */

import { decodeBase64, equalConstantTime } from '@postern/kernel';
import type { Awaitable, Digest, EpochMillis, SignatureVerifier } from '@postern/ports';
import { unverified } from '../../errors.js';
import {
  certificateLabel,
  isSha1,
  isValidAt,
  maySignFor,
  refusalOfSigner,
  type TrustedCertificate,
} from './certificate.js';
import { MAX_CMS_BYTES } from './cms-limits.js';
import { parseOwnCms, type UnverifiedSignedData } from './cms-signed-data.js';
import { type DocumentFields, parseIdentityDocument, provenDocument, type VerifiedDocument } from './document.js';
import type { TrustStore } from './trust-store.js';

/** Base64 is 4 characters for 3 bytes; the rest is room for line breaks. Against decoding what is refused anyway. */
const MAX_PKCS7_CHARACTERS = MAX_CMS_BYTES * 1.5;

export interface Pkcs7Evidence {
  /** Base64 as the metadata service serves it, line breaks allowed, no PEM armour. */
  readonly pkcs7: string;
  readonly trustStore: TrustStore;
  readonly verifier: SignatureVerifier;
  readonly digest: Digest;
  /** When given, a value without a signing time is judged as if signed now; otherwise it is refused. */
  readonly now?: EpochMillis | undefined;
}

/**
 * Verifies a PKCS#7 document against the trusted certificates and reads it.
 *
 * Proven: a key trusted for the document's region signed exactly the bytes that the fields were read from. Not proven:
 * that the instance still runs, that the document is recent, that its sender is the instance.
 *
 * @throws AuthError `evidence_unverified`; `reason` names the step for the audit event.
 */
export async function verifyPkcs7(evidence: Pkcs7Evidence): Promise<VerifiedDocument> {
  const signedData = parseOwnCms(decodePkcs7(evidence.pkcs7));
  const candidates = trustedSigners(signedData, evidence);
  // On node:crypto answers are there at once; to await them nonetheless would cost a tenth of the signature check each.
  const digested = digestOf(signedData, evidence);
  checkMessageDigest(signedData, digested instanceof Uint8Array ? digested : await digested);
  let document: DocumentFields | undefined;
  let refusal = 'signer_unknown';
  for (const certificate of candidates) {
    const refused = refusalOfCandidate(certificate, signedData, evidence);
    if (refused !== undefined) {
      refusal = refused;
      continue;
    }
    const checked = checkSignature(certificate, signedData, evidence);
    if (!(typeof checked === 'boolean' ? checked : await checked)) {
      refusal = 'signature_mismatch';
      continue;
    }
    document ??= parseIdentityDocument(signedData.content);
    if (maySignFor(certificate, document.region)) return verified(document, certificate, signedData);
    refusal = 'region_certificate_mismatch';
  }
  throw unverified(refusal);
}

function decodePkcs7(text: string): Uint8Array {
  if (text.length > MAX_PKCS7_CHARACTERS) throw unverified('pkcs7_too_large');
  const bytes = decodeBase64(text, { ignoreLineBreaks: true });
  if (bytes === undefined) throw unverified('pkcs7_not_base64');
  return bytes;
}

function trustedSigners({ signer }: UnverifiedSignedData, evidence: Pkcs7Evidence): readonly TrustedCertificate[] {
  const { trustStore, verifier } = evidence;
  if (isSha1(signer.signatureAlgorithm) && !trustStore.allowSha1Signatures) throw unverified('sha1_signature_refused');
  if (!verifier.supports(signer.signatureAlgorithm)) throw unverified('signature_algorithm_unsupported');
  return trustStore.findPkcs7Signer(signer.issuerDer, signer.serialDer);
}

function digestOf({ content, signer }: UnverifiedSignedData, { digest }: Pkcs7Evidence): Awaitable<Uint8Array> {
  return digest.digest(signer.digestAlgorithm, content);
}

/** Ties the content to the signed attributes; without it any content could stand under a genuine signature (P2, P7). */
function checkMessageDigest({ signer }: UnverifiedSignedData, digested: Uint8Array): void {
  if (!equalConstantTime(signer.signedAttributes.messageDigest, digested)) throw unverified('message_digest_mismatch');
}

/** What speaks against a candidate before its key is tried. */
function refusalOfCandidate(
  certificate: TrustedCertificate,
  { signer }: UnverifiedSignedData,
  { trustStore, now }: Pkcs7Evidence,
): string | undefined {
  const refused = refusalOfSigner(certificate, signer.signatureAlgorithm, trustStore);
  if (refused !== undefined) return refused;
  const signedAt = signer.signedAttributes.signingTime ?? now;
  if (signedAt === undefined) return 'signing_time_missing';
  return isValidAt(certificate, signedAt) ? undefined : 'signing_time_outside_validity';
}

function checkSignature(
  certificate: TrustedCertificate,
  { signer }: UnverifiedSignedData,
  { verifier }: Pkcs7Evidence,
): Awaitable<boolean> {
  return verifier.verify(signer.signatureAlgorithm, certificate.spki, signer.signedAttributes.der, signer.signature);
}

function verified(
  document: DocumentFields,
  certificate: TrustedCertificate,
  { signer }: UnverifiedSignedData,
): VerifiedDocument {
  const { signatureAlgorithm, signedAttributes } = signer;
  const { signingTime } = signedAttributes;
  return provenDocument(document, {
    method: 'pkcs7',
    signatureAlgorithm,
    signingTime,
    certificate: certificateLabel(certificate),
  });
}
