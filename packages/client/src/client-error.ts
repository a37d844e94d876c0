/**
 * The one error that leaves this package: the server's stable code where it gave one, our own where it could not. Its texts quote
 * no token, nonce or proof. Misuse by the program is a `TypeError`.
 */

/**
 * `denied`: checked and refused. `forbidden`: no permission. `invalid`: the request must be changed. `not_found`: nothing there.
 * `unavailable`: could not be checked, try again. `misconfigured`: the server's operator must act. `unexpected`: an answer that
 * is none. `evidence`: this machine has no proof to show. `nonce_store`: the nonce cannot be kept safely. `aborted`: your signal.
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
  /** Of the answer, where there was one. */
  readonly status?: number;
  readonly retryAfterSeconds?: number | undefined;
  /** The server's, for its operator. */
  readonly requestId?: string | undefined;
}

/** Thrown by everything here. `error.kind` says what to do, `error.code` says why. */
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

/** What your own signal ended. */
export function aborted(): PosternClientError {
  return new PosternClientError('aborted', 'aborted', 'the call was aborted');
}

/** The `code` of a system error: `ECONNREFUSED`. Messages are not told, for they may quote what was sent. */
export function systemCode(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 4; each = each.cause, depth += 1) {
    if ('code' in each && typeof each.code === 'string' && /^E[A-Z0-9_]{2,40}$/.test(each.code)) return each.code;
  }
  return undefined;
}
