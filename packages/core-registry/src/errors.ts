/** The one error that leaves core-registry: a stable code, a text for people, the invalid member; never a token. */
import { CodedError, type CodedErrorOptions, hasErrorCode } from '@postern/kernel';
import { REGISTRY_ERROR_KINDS, type RegistryErrorCode, type RegistryErrorKind } from './error-codes.js';

export interface RegistryErrorOptions extends CodedErrorOptions {
  /** JSON pointer of the invalid member within the input: `/reason`. Empty: the input as a whole. */
  readonly pointer?: string;
  /** Public facts. Free text in it was written by a manager of the registry: escape it. */
  readonly details?: Readonly<Record<string, string>>;
}

/** Thrown by every operation. `switch (error.code)` narrows; `error.kind` is enough to choose a status. */
export class RegistryError extends CodedError<RegistryErrorCode, RegistryErrorKind> {
  override readonly name = 'RegistryError';
  readonly pointer: string | undefined;

  constructor(code: RegistryErrorCode, message: string, options: RegistryErrorOptions = {}) {
    super(code, REGISTRY_ERROR_KINDS[code], message, options);
    this.pointer = options.pointer;
  }
}

/** Recognises a `RegistryError` by shape, also one made by another copy of this package. */
export function isRegistryError(error: unknown): error is RegistryError {
  return hasErrorCode(error, 'RegistryError', REGISTRY_ERROR_KINDS);
}
