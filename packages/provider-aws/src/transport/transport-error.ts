/** Why no whole answer came. Holds nothing of the request and nothing of the answer. */

export type TransportErrorKind =
  /** Refused, reset, unreachable, closed in mid-answer, or a certificate that does not prove the host. */
  | 'connection'
  /** No whole answer in time. */
  | 'timeout'
  /** The answer is larger than anything the provider says. */
  | 'too_large'
  /** The answer is not of the provider's kind. */
  | 'not_understood'
  | 'aborted'
  | 'closed';

export class TransportError extends Error {
  /** The SDK tries again what is called a time-out, and nothing that is called aborted. */
  override readonly name: 'TimeoutError' | 'AbortError' | 'TransportError';
  readonly kind: TransportErrorKind;

  constructor(kind: TransportErrorKind, detail: string) {
    super(detail);
    this.kind = kind;
    if (kind === 'connection' || kind === 'timeout') this.name = 'TimeoutError';
    else this.name = kind === 'aborted' ? 'AbortError' : 'TransportError';
  }
}
