/**
 * Why a provider (EC2, IAM, STS) gave no answer:
 * `unavailable`: down, slow, throttling or talking nonsense; try again later. Never a denial, and never a pass.
 * `denied`: the provider refused *our* credentials this call.
 * `misconfigured`: no credentials, half a key pair, an unknown partition: an operator must act.
 * `account_not_allowed`: the account is neither our own nor has an STS association; no call was made for it.
 */
export type ProviderErrorCode = 'unavailable' | 'denied' | 'misconfigured' | 'account_not_allowed';

/** Thrown by every directory port when it could not find out. "There is none" is a value, never this error. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;
  /** Whole seconds after which a retry makes sense; only with `unavailable`. */
  readonly retryAfterSeconds: number | undefined;
  /** The provider's own error code, `UnauthorizedOperation`; for log and audit. */
  readonly cloudCode: string | undefined;
  /** The provider's id of the request, for its support. */
  readonly cloudRequestId: string | undefined;

  /** `message` is for the operator's log: it never holds a credential or a provider's answer. */
  constructor(code: ProviderErrorCode, message: string, options: ProviderErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.cloudCode = options.cloudCode;
    this.cloudRequestId = options.cloudRequestId;
  }
}

export interface ProviderErrorOptions {
  readonly retryAfterSeconds?: number;
  readonly cloudCode?: string | undefined;
  readonly cloudRequestId?: string | undefined;
  readonly cause?: unknown;
}

const codes: ReadonlySet<unknown> = new Set(['unavailable', 'denied', 'misconfigured', 'account_not_allowed']);

/** Recognises a `ProviderError` by shape, also one made by another copy of this package. */
export function isProviderError(error: unknown): error is ProviderError {
  return error instanceof Error && error.name === 'ProviderError' && 'code' in error && codes.has(error.code);
}
