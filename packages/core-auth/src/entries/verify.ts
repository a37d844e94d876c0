/**
 * Verification of instance identity documents without the method. The certificate functions are here and not in the index:
 * they need an X.509 parser, which the method imports only when it parses a certificate.
 */

export { builtInCertificates, trustBuiltIn } from '../evidence/identity-document/certificate-built-in.js';
export { parseCertificate, trustRegistered } from '../evidence/identity-document/certificate-parser.js';
export type { BuiltInCertificateSource } from '../evidence/identity-document/certificate-source.js';
export type { DocumentFields, DocumentProof, VerifiedDocument } from '../evidence/identity-document/document.js';
export {
  createTrustStore,
  type TrustedCertificate,
  type TrustStore,
  type TrustStoreInput,
} from '../evidence/identity-document/trust-store.js';
export {
  type IdentityEvidence,
  verifyIdentitySignature,
} from '../evidence/identity-document/verify-identity-signature.js';
export { type Pkcs7Evidence, verifyPkcs7 } from '../evidence/identity-document/verify-pkcs7.js';
