/** The auth method of Postern: cloud instances and principals prove who they are and receive a token. */

export { createKeyWrapper, type WrappingKey } from '@postern/kernel';
export type {
  FaceOptions,
  FieldsOf,
  HostFace,
  OperationId,
  OutcomeOf,
  ParamsOf,
  TokenFace,
} from './api/face-types.js';
export { createAuthMethod } from './auth-method.js';
export type { AuthDoor, AuthMethod } from './auth-method-api.js';
export type { CallContext, CallFields, OperationCall, Outcome, Refusal, RefusedCall } from './call.js';
export { MAX_LOGIN_SKEW_MS, MAX_SWEEP_SKEW_MS } from './clock-skew.js';
export type { ClientConfig, StsAssociation } from './config/records.js';
export { type AuthErrorCode, ERROR_KINDS, type ErrorKind } from './error-codes.js';
export { AuthError, type AuthErrorOptions, isAuthError } from './errors.js';
export type { BuiltInCertificateSource } from './evidence/identity-document/certificate-source.js';
export { type CertificateWarning, certificateWarnings } from './evidence/identity-document/certificate-warnings.js';
export type { UnverifiedSigner } from './evidence/identity-document/cms-signed-data.js';
export { parseCms, type UnverifiedSignedData } from './evidence/identity-document/cms-signed-data.js';
export type { DocumentFields, DocumentProof, VerifiedDocument } from './evidence/identity-document/document.js';
export { parseIdentityDocument } from './evidence/identity-document/document.js';
export {
  createTrustStore,
  type Sha1Verdict,
  type TrustedCertificate,
  type TrustStore,
  type TrustStoreInput,
} from './evidence/identity-document/trust-store.js';
export {
  type IdentityEvidence,
  verifyIdentitySignature,
} from './evidence/identity-document/verify-identity-signature.js';
export { type Pkcs7Evidence, verifyPkcs7 } from './evidence/identity-document/verify-pkcs7.js';
export { DEFAULT_STORAGE_PREFIX } from './method-context.js';
export type { Access, Operation, OperationRequest, Scope, Verb } from './operation.js';
export type { AuthOptions, AuthPorts, BuiltInCertificate } from './options.js';
export type { Policy } from './policies/policy.js';
export type { Permissions } from './policies/policy-book.js';
export {
  createProviderConfiguration,
  type ProviderConfiguration,
  type ProviderSealing,
} from './provider-configuration.js';
export { createMethodSealer, type SealingParts } from './store/method-sealer.js';
export type { AuthView } from './tokens/auth-view.js';
export type { TokenHolder } from './tokens/authenticate.js';
export { looksLikeToken } from './tokens/issue-token.js';
