/**
 * What goes wrong between a request and the registry, as one value whatever representation renders it (REGAPI-7, REGAPI-6):
 * status, title, detail, and the JSON pointer of the member at fault.
 */
import { isAuthError } from '@postern/core-auth';
import { isRegistryError, type RegistryError, type RegistryErrorKind } from '@postern/core-registry';

export interface Problem {
  readonly status: number;
  /** The same for every problem of its status. */
  readonly title: string;
  readonly detail: string;
  /** RFC 6901, from the root of the document that was sent. */
  readonly pointer?: string | undefined;
  /** Whole seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** Further headers that the answer needs. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Thrown where the transport itself refuses; what core refuses is a `RegistryError`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.problem = problem;
  }
}

/** HTTP status of each kind of registry error (REGAPI-7). */
export const STATUS_OF_KIND: Readonly<Record<RegistryErrorKind, number>> = {
  unauthorized: 401,
  not_found: 404,
  invalid: 422,
  conflict: 409,
  forbidden: 403,
  too_large: 413,
  unavailable: 503,
  internal: 500,
};

const TITLES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  406: 'not acceptable',
  409: 'conflict',
  413: 'content too large',
  415: 'unsupported media type',
  422: 'invalid attribute',
  429: 'too many requests',
  500: 'internal error',
  503: 'service unavailable',
};

export function problemOf(status: number, detail: string, more: Omit<Problem, 'status' | 'title' | 'detail'> = {}) {
  return { status, title: TITLES[status] ?? 'error', detail, ...more } satisfies Problem;
}

/** One text for what is not there and for what is not the caller's: byte for byte (REG-8). */
export const NOT_FOUND: Problem = problemOf(404, 'it does not exist, or the organization is not authorized for it');

export const UNAUTHORIZED: Problem = problemOf(401, 'a valid bearer token is required', {
  headers: { 'www-authenticate': 'Bearer' },
});

const INTERNAL: Problem = problemOf(500, 'internal error');

/** Seconds after which to try again where the error itself does not say. */
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/**
 * Runs an operation whose input is read from the request. What the reader threw comes out unwrapped; a pointer into the
 * input becomes one into the document that was sent.
 */
export async function fromDocument<T>(
  operation: Promise<T>,
  pointerOf: (pointer: string) => string = (pointer) => pointer,
): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    if (!isRegistryError(error) || error.kind !== 'invalid') throw error;
    if (error.code === 'input_invalid' && error.cause !== undefined) throw error.cause;
    const { pointer } = error;
    const inDocument = pointer === undefined ? undefined : pointerOf(pointer);
    throw new ProblemError(problemOf(422, error.message, { pointer: inDocument }), { cause: error });
  }
}

/** What an error is answered with. An unknown error is a bug: its text is not revealed. */
export function problemOfError(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (isRegistryError(error)) return ofRegistryError(error);
  if (isAuthError(error) && error.code === 'server_busy') {
    return problemOf(503, error.message, { retryAfterSeconds: error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS });
  }
  if (isAuthError(error) && error.code === 'body_too_large') return problemOf(413, error.message);
  if (isAuthError(error) && error.code === 'body_invalid') return problemOf(422, error.message, { pointer: '' });
  return INTERNAL;
}

function ofRegistryError(error: RegistryError): Problem {
  switch (error.kind) {
    case 'unauthorized':
      return UNAUTHORIZED;
    case 'not_found':
      return NOT_FOUND;
    case 'internal':
      return INTERNAL;
    case 'invalid':
      return problemOf(STATUS_OF_KIND.invalid, error.message, { pointer: error.pointer });
    case 'unavailable':
      return problemOf(STATUS_OF_KIND.unavailable, error.message, {
        retryAfterSeconds: Math.max(1, Math.ceil(error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS)),
      });
    default:
      return problemOf(STATUS_OF_KIND[error.kind], error.message);
  }
}
