/** Logs programs on instances, in functions, pods and pipelines in to Postern, or to a server that speaks as Vault does. */
export {
  type ClientErrorKind,
  type ClientErrorOptions,
  isPosternClientError,
  PosternClientError,
} from './client-error.js';
export {
  type AwsCredentials,
  type CredentialProvider,
  environmentCredentials,
  instanceRoleCredentials,
} from './evidence/credentials.js';
export {
  collectInstanceEvidence,
  type InstanceEvidence,
  type InstanceEvidenceOptions,
  type InstanceProof,
  instanceEvidence,
} from './evidence/instance-evidence.js';
export type { MetadataOptions } from './evidence/instance-metadata.js';
export {
  type CallerIdentityFields,
  type CallerIdentityOptions,
  signCallerIdentity,
} from './evidence/sign-caller-identity.js';
export type { Fetch } from './login/call-server.js';
export type {
  CallOptions,
  ClientOptions,
  InstanceLoginOptions,
  ManagementCall,
  PosternClient,
  PrincipalLoginOptions,
  RenewOptions,
} from './login/client-options.js';
export { createPosternClient } from './login/create-client.js';
export type { Login, TokenFacts } from './login/login.js';
export type { Sleep } from './login/retry.js';
export { fileNonceStore } from './nonce/file-nonce-store.js';
export { memoryNonceStore, type NonceStore } from './nonce/nonce-store.js';
export { writeTokenFile } from './nonce/private-file.js';
export {
  keepLoggedIn,
  type LoginStep,
  type PosternSession,
  type SessionOptions,
} from './session/keep-logged-in.js';
export type { ProfileName } from './wire-profile.js';
