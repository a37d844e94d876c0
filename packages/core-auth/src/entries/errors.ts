/** The errors of the auth method without the method: for callers that only tell them apart. */

export { type AuthErrorCode, ERROR_KINDS, type ErrorKind } from '../error-codes.js';
export { AuthError, type AuthErrorOptions, isAuthError } from '../errors.js';
