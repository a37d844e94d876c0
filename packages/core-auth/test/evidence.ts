/** Trust stores and ready-made verifications for tests of evidence. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Digest, SignatureVerifier } from '@postern/ports';
import type { CertificateType, TrustedCertificate } from '../src/evidence/identity-document/certificate.js';
import { parseCertificate } from '../src/evidence/identity-document/certificate-parser.js';
import { createTrustStore, type TrustStore } from '../src/evidence/identity-document/trust-store.js';
import { verifyIdentitySignature } from '../src/evidence/identity-document/verify-identity-signature.js';
import { verifyPkcs7 } from '../src/evidence/identity-document/verify-pkcs7.js';

const keys = new WeakMap<Uint8Array, KeyObject>();

/** On node:crypto, the engine that production uses; counts its calls. */
export const crypto: SignatureVerifier & Digest & { calls: number } = {
  calls: 0,
  supports: () => true,
  verify(algorithm, spki, data, signature) {
    crypto.calls += 1;
    const key = keys.get(spki) ?? createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    keys.set(spki, key);
    return verify(algorithm.slice(4), data, key, signature);
  },
  digest: (algorithm, data) => new Uint8Array(createHash(algorithm).update(data).digest()),
};

/** A certificate of the fake cloud (`region` given: bound to it) or a registered one. */
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
  return verifyPkcs7({
    pkcs7: Buffer.from(bytes).toString('base64'),
    trustStore,
    verifier: crypto,
    digest: crypto,
    now,
  });
}

export function verifyText(pkcs7: string, trustStore: TrustStore) {
  return verifyPkcs7({ pkcs7, trustStore, verifier: crypto, digest: crypto });
}

/** `verifyIdentitySignature` over the document's bytes and the signature's text. */
export function verifyPair(document: Uint8Array, signature: string, trustStore: TrustStore) {
  const identity = Buffer.from(document).toString('base64');
  return verifyIdentitySignature({ identity, signature, trustStore, verifier: crypto });
}
