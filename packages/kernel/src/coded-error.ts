/** The base of every error that leaves a package: a stable code, its kind, public details. */

export interface CodedErrorOptions {
  /** Public facts: the field, the expected format. Shown to the caller, so no values of secrets, nonces, signatures. */
  readonly details?: Readonly<Record<string, string>>;
  /** Whole seconds; with kind `unavailable`. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Where Node looks for it; registered by name, so that nothing of Node is imported. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * `switch (error.code)` narrows; `error.kind` is enough to choose a status.
 *
 * @example
 * ```ts
 * class ThingError extends CodedError<ThingCode, ThingKind> {
 *   override readonly name = 'ThingError';
 *   constructor(code: ThingCode, message: string, options?: CodedErrorOptions) {
 *     super(code, THING_KINDS[code], message, options);
 *   }
 * }
 * ```
 */
export abstract class CodedError<Code extends string, Kind extends string> extends Error {
  readonly code: Code;
  readonly kind: Kind;
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, kind: Kind, message: string, options: CodedErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = kind;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /**
   * How Node prints it, in a log or on the console: every member but the cause. A driver or SDK may quote in its messages
   * what it was given, and that is keys, nonces and signatures (THREAT-36). `error.cause` has it.
   */
  [INSPECT](): string {
    // The stack begins with the name, the cause is not an enumerable member.
    const { name: _name, kind: _kind, ...shown } = this;
    return `${this.stack} ${JSON.stringify(shown)}`;
  }
}

/**
 * Makes an error that anybody can cause at will, without its stack: to walk it costs half a signature check (THREAT-35), and code and
 * reason say as much. A host that does not let the limit be set gets the stack.
 */
export function withoutStack<E extends Error>(make: () => E): E {
  const limit: unknown = Reflect.get(Error, 'stackTraceLimit');
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return make();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit);
  }
}

/**
 * Whether an error has this name and one of these codes: by shape, so that an error of another copy of the package is
 * recognised too.
 */
export function hasErrorCode(error: unknown, name: string, codes: Readonly<Record<string, unknown>>): boolean {
  return (
    error instanceof Error &&
    error.name === name &&
    'code' in error &&
    typeof error.code === 'string' &&
    Object.hasOwn(codes, error.code)
  );
}
