/** The one error that leaves core-registry: a stable code, a text for people, the member at fault; never a token. */
import { REGISTRY_ERROR_KINDS, type RegistryErrorCode, type RegistryErrorKind } from './error-codes.js';

export interface RegistryErrorOptions {
  /** JSON pointer of the failing member within the input: `/reason`. Empty: the input as a whole. */
  readonly pointer?: string;
  /** Public facts. Free text in it is what a manager of the registry wrote: escape it. */
  readonly details?: Readonly<Record<string, string>>;
  /** Whole seconds; with kind `unavailable`. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Where Node looks for it; registered by name, so that nothing of Node is imported. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Thrown by every operation. `switch (error.code)` narrows; `error.kind` is enough to choose a status. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly code: RegistryErrorCode;
  readonly kind: RegistryErrorKind;
  readonly pointer: string | undefined;
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RegistryErrorCode, message: string, options: RegistryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = REGISTRY_ERROR_KINDS[code];
    this.pointer = options.pointer;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /**
   * How Node prints it, in a log or on the console: without the cause. A driver may quote in its messages what it was
   * given. Whoever wants the cause asks for `error.cause`.
   */
  [INSPECT](): string {
    const { code, pointer, details, retryAfterSeconds, stack } = this;
    return `${stack} ${JSON.stringify({ code, pointer, details, retryAfterSeconds })}`;
  }
}

/** Recognises a `RegistryError` by shape, also one made by another copy of this package. */
export function isRegistryError(error: unknown): error is RegistryError {
  return (
    error instanceof Error &&
    error.name === 'RegistryError' &&
    'code' in error &&
    typeof error.code === 'string' &&
    Object.hasOwn(REGISTRY_ERROR_KINDS, error.code)
  );
}
