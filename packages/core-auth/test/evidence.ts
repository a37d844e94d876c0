/** Trust stores and ready-made verifications for tests of evidence. */
import { createNodeCrypto } from '@postern/crypto-node';
import type { Digest, SignatureVerifier } from '@postern/ports';
import type { CertificateType, TrustedCertificate } from '../src/evidence/identity-document/certificate.js';
import { parseCertificate } from '../src/evidence/identity-document/certificate-parser.js';
import { createTrustStore, type TrustStore } from '../src/evidence/identity-document/trust-store.js';
import { verifyIdentitySignature } from '../src/evidence/identity-document/verify-identity-signature.js';
import { verifyPkcs7 } from '../src/evidence/identity-document/verify-pkcs7.js';

const node = createNodeCrypto();

/** The engine of production; counts signature checks. */
export const crypto: SignatureVerifier & Digest & { calls: number } = {
  ...node,
  calls: 0,
  verify(...check) {
    crypto.calls += 1;
    return node.verify(...check);
  },
};

/** A certificate bound to regions, or without them a registered one. */
export function trusted(pem: string, type: CertificateType, regions?: readonly string[]): TrustedCertificate {
  return { ...parseCertificate(pem), type, ...(regions === undefined ? { name: 'test' } : { regions }) };
}

export function trusting(
  certificates: readonly TrustedCertificate[],
  options: { readonly allowSha1Signatures?: boolean } = {},
): TrustStore {
  return createTrustStore({ builtIn: certificates, registered: [], ...options });
}

/** `verifyPkcs7` over bytes. */
export function verifyBytes(bytes: Uint8Array, trustStore: TrustStore, now?: number) {
  const pkcs7 = Buffer.from(bytes).toString('base64');
  return verifyPkcs7({ pkcs7, trustStore, verifier: crypto, digest: crypto, now });
}

export function verifyText(pkcs7: string, trustStore: TrustStore) {
  return verifyPkcs7({ pkcs7, trustStore, verifier: crypto, digest: crypto });
}

/** `verifyIdentitySignature` over the document's bytes and the signature's text. */
export function verifyPair(document: Uint8Array, signature: string, trustStore: TrustStore) {
  const identity = Buffer.from(document).toString('base64');
  return verifyIdentitySignature({ identity, signature, trustStore, verifier: crypto });
}
