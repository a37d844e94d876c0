/** The second proof of an instance: document and detached RSA signature (DOC-11, DOC-10, THREAT-13). */

import { decodeBase64 } from '@postern/kernel';
import type { SignatureAlgorithm, SignatureVerifier } from '@postern/ports';
import { unverified } from '../../errors.js';
import { certificateLabel, maySignFor, refusalOfSigner, type TrustedCertificate } from './certificate.js';
import {
  type DocumentFields,
  MAX_DOCUMENT_BYTES,
  parseIdentityDocument,
  provenDocument,
  type UnverifiedDocument,
  type VerifiedDocument,
} from './document.js';
import type { TrustStore } from './trust-store.js';

/** The metadata service signs with RSA and SHA-256 only; nothing in the evidence chooses. */
const ALGORITHM: SignatureAlgorithm = 'rsa-sha256';

/** Base64 is 4 characters for 3 bytes, in one line. Against decoding what is refused anyway. */
const MAX_IDENTITY_CHARACTERS = Math.ceil(MAX_DOCUMENT_BYTES / 3) * 4;

/** An RSA-8192 signature with line breaks. */
const MAX_SIGNATURE_CHARACTERS = 1536;

export interface IdentityEvidence {
  /** Base64 of the document, in one line: every byte of it is signed, so there is one spelling only. */
  readonly identity: string;
  /** Base64 as the metadata service serves it: line breaks allowed. */
  readonly signature: string;
  readonly trustStore: TrustStore;
  readonly verifier: SignatureVerifier;
}

/**
 * Verifies a document with its detached signature against the trusted `identity` certificates and reads it.
 *
 * Proven and not proven: as with `verifyPkcs7`. The signature carries no time, so no certificate's validity is judged.
 *
 * @throws AuthError `evidence_unverified`; `reason` names the step for the audit event.
 */
export async function verifyIdentitySignature(evidence: IdentityEvidence): Promise<VerifiedDocument> {
  const { bytes } = decodeIdentity(evidence.identity);
  const signature = decodeSignature(evidence.signature);
  let document: DocumentFields | undefined;
  let refusal = 'signature_mismatch';
  for (const certificate of candidates(evidence.trustStore, signature)) {
    if (!(await evidence.verifier.verify(ALGORITHM, certificate.spki, bytes, signature))) continue;
    document ??= parseIdentityDocument(bytes);
    if (maySignFor(certificate, document.region)) return verified(document, certificate);
    refusal = 'region_certificate_mismatch';
  }
  throw unverified(refusal);
}

function decodeIdentity(text: string): UnverifiedDocument {
  if (text.length > MAX_IDENTITY_CHARACTERS) throw unverified('identity_too_large');
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw unverified('identity_not_base64');
  return { bytes };
}

function decodeSignature(text: string): Uint8Array {
  if (text.length > MAX_SIGNATURE_CHARACTERS) throw unverified('signature_too_large');
  const bytes = decodeBase64(text, { ignoreLineBreaks: true });
  if (bytes === undefined) throw unverified('signature_not_base64');
  return bytes;
}

/**
 * Keys that could have made the signature. An RSA signature is exactly as long as its key, which saves an
 * unauthenticated caller's garbage from being tried against every key.
 */
function candidates(trustStore: TrustStore, signature: Uint8Array): readonly TrustedCertificate[] {
  return trustStore
    .identityCandidates()
    .filter(
      (certificate) =>
        Math.ceil(certificate.keyBits / 8) === signature.length &&
        refusalOfSigner(certificate, ALGORITHM, trustStore) === undefined,
    );
}

function verified(document: DocumentFields, certificate: TrustedCertificate): VerifiedDocument {
  return provenDocument(document, {
    method: 'identity',
    signatureAlgorithm: ALGORITHM,
    signingTime: undefined,
    certificate: certificateLabel(certificate),
  });
}
