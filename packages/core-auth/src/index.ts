/** The auth method of Postern: cloud instances and principals prove who they are and receive a token. */
export type { AuthMethod } from './auth-method-api.js';
export type { CallContext, OperationCall, Outcome } from './call.js';
export {
  parseStrictJson,
  type StrictJsonCode,
  type StrictJsonOptions,
  type StrictJsonResult,
} from './encoding/strict-json.js';
export { type AuthErrorCode, ERROR_KINDS, type ErrorKind } from './error-codes.js';
export { AuthError, type AuthErrorOptions, isAuthError } from './errors.js';
export type { Access, Operation, OperationRequest, Scope, Verb } from './operation.js';
export type { AuthOptions, AuthPorts, BuiltInCertificate } from './options.js';
export type { AuthView } from './tokens/auth-view.js';
