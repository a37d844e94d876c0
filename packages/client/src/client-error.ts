/**
 * The error of this package: with the server's stable code where it sent one, else a code of the client. Messages never quote a
 * token, nonce or proof. Misuse by the program is a `TypeError`. Not on kernel's `CodedError`: the client installs one package, the
 * signer; kernel would add itself, ports and lru-cache to every program for twenty lines, and its code is the server's, open-ended.
 */

/**
 * `denied`: the login was checked and denied. `forbidden`: permission denied. `invalid`: change the request. `not_found`: no such
 * record. `unavailable`: could not be checked, retry. `misconfigured`: the server's operator must act. `unexpected`: not a valid
 * response. `evidence`: this machine has no identity document or credentials. `nonce_store`: the nonce cannot be stored safely.
 * `aborted`: by your signal.
 */
export type ClientErrorKind =
  | 'denied'
  | 'forbidden'
  | 'invalid'
  | 'not_found'
  | 'unavailable'
  | 'misconfigured'
  | 'unexpected'
  | 'evidence'
  | 'nonce_store'
  | 'aborted';

export interface ClientErrorOptions {
  /** Of the response, where there was one. */
  readonly status?: number;
  readonly retryAfterSeconds?: number | undefined;
  /** The server's, for its operator. */
  readonly requestId?: string | undefined;
}

/** Thrown by every call. `error.kind` tells what to do, `error.code` why. */
export class PosternClientError extends Error {
  override readonly name = 'PosternClientError';
  readonly code: string;
  readonly kind: ClientErrorKind;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(kind: ClientErrorKind, code: string, message: string, options: ClientErrorOptions = {}) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.requestId = options.requestId;
  }
}

/** Recognises the error by shape, also one of another copy of this package. */
export function isPosternClientError(error: unknown): error is PosternClientError {
  return error instanceof Error && error.name === 'PosternClientError' && 'code' in error && 'kind' in error;
}

/** The error of a call that your signal ended. */
export function aborted(): PosternClientError {
  return new PosternClientError('aborted', 'aborted', 'the call was aborted');
}

/** The `code` of a system error: `ECONNREFUSED`. Not the message, which may quote what was sent. */
export function systemCode(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 4; each = each.cause, depth += 1) {
    if ('code' in each && typeof each.code === 'string' && /^E[A-Z0-9_]{2,40}$/.test(each.code)) return each.code;
  }
  return undefined;
}
