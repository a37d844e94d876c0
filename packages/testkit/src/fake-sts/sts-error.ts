/** A refusal of the fake STS that is not about the signature. */

export type StsErrorCode =
  | 'AccessDenied'
  | 'InvalidAction'
  | 'MalformedQueryString'
  | 'MissingAction'
  | 'ValidationError';

export class FakeStsError extends Error {
  override readonly name = 'FakeStsError';
  readonly code: StsErrorCode;
  readonly status: 400 | 403;

  constructor(code: StsErrorCode, message: string) {
    super(message);
    this.code = code;
    this.status = code === 'AccessDenied' ? 403 : 400;
  }
}
