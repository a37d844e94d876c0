/** The first proof of an instance: a PKCS#7 document (spec 4.1, decisions R13 to R15, behaviour sheet 16, threats P1 to P11). */
import type { Digest, EpochMillis, SignatureVerifier } from '@postern/ports';
import { equalConstantTime } from '../../crypto/equal-constant-time.js';
import { decodeBase64 } from '../../encoding/base64.js';
import { unverified } from '../../errors.js';
import type { TrustedCertificate } from './certificate.js';
import { MAX_CMS_BYTES } from './cms-limits.js';
import { parseCms, type UnverifiedSignedData } from './cms-signed-data.js';
import type { VerifiedDocument } from './document.js';
import { type DocumentFields, parseIdentityDocument } from './parse-document.js';
import type { TrustStore } from './trust-store.js';
import { certificateLabel, isSha1, isValidAt, maySignFor, refusalOfSigner } from './verify-certificate.js';

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
  const signedData = parseCms(decodePkcs7(evidence.pkcs7));
  const candidates = trustedSigners(signedData, evidence);
  await checkMessageDigest(signedData, evidence.digest);
  let document: DocumentFields | undefined;
  let refusal = 'signer_unknown';
  for (const certificate of candidates) {
    const refused = await refusalOfCandidate(certificate, signedData, evidence);
    if (refused !== undefined) {
      refusal = refused;
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

/** Ties the content to the signed attributes; without it any content could stand under a genuine signature (P2, P7). */
async function checkMessageDigest({ content, signer }: UnverifiedSignedData, digest: Digest): Promise<void> {
  const actual = await digest.digest(signer.digestAlgorithm, content);
  if (!equalConstantTime(signer.signedAttributes.messageDigest, actual)) throw unverified('message_digest_mismatch');
}

async function refusalOfCandidate(
  certificate: TrustedCertificate,
  { signer }: UnverifiedSignedData,
  { trustStore, verifier, now }: Pkcs7Evidence,
): Promise<string | undefined> {
  const { signatureAlgorithm, signedAttributes, signature } = signer;
  const refused = refusalOfSigner(certificate, signatureAlgorithm, trustStore);
  if (refused !== undefined) return refused;
  if (!(await verifier.verify(signatureAlgorithm, certificate.spki, signedAttributes.der, signature))) {
    return 'signature_mismatch';
  }
  const signedAt = signedAttributes.signingTime ?? now;
  if (signedAt === undefined) return 'signing_time_missing';
  return isValidAt(certificate, signedAt) ? undefined : 'signing_time_outside_validity';
}

function verified(
  document: DocumentFields,
  certificate: TrustedCertificate,
  { signer }: UnverifiedSignedData,
): VerifiedDocument {
  return {
    ...document,
    proof: {
      method: 'pkcs7',
      signatureAlgorithm: signer.signatureAlgorithm,
      signingTime: signer.signedAttributes.signingTime,
      certificate: certificateLabel(certificate),
    },
  };
}
