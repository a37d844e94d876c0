/**
 * What goes wrong between a request and the registry, as one value whatever face renders it (REGAPI-7, REGAPI-6):
 * status, title, detail, and the JSON pointer of the member at fault.
 */
import { isAuthError } from '@postern/core-auth';
import { isRegistryError, REGISTRY_STATUS_OF_KIND, type RegistryError } from '@postern/core-registry';

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

export const UNAUTHORIZED: Problem = problemOf(401, 'a valid bearer token is needed', {
  headers: { 'www-authenticate': 'Bearer' },
});

const INTERNAL: Problem = problemOf(500, 'something went wrong on our side');

/** Seconds after which to try again where the error itself does not say. */
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** From a pointer into core's input to one into the document that was sent. */
type PointerOf = (pointer: string) => string;

/** What an error is answered with. Anything unknown is a defect of ours, and no word of what it was. */
export function problemOfError(error: unknown, pointerOf: PointerOf = (pointer) => pointer): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (isRegistryError(error)) return ofRegistryError(error, pointerOf);
  if (isAuthError(error) && error.code === 'body_too_large') return problemOf(413, error.message);
  if (isAuthError(error) && error.code === 'body_invalid') return problemOf(422, error.message, { pointer: '' });
  return INTERNAL;
}

function ofRegistryError(error: RegistryError, pointerOf: PointerOf): Problem {
  switch (error.kind) {
    case 'unauthorized':
      return UNAUTHORIZED;
    case 'not_found':
      return NOT_FOUND;
    case 'internal':
      return INTERNAL;
    case 'invalid': {
      const { pointer } = error;
      return problemOf(422, error.message, { pointer: pointer === undefined ? undefined : pointerOf(pointer) });
    }
    case 'unavailable':
      return problemOf(REGISTRY_STATUS_OF_KIND.unavailable, error.message, {
        retryAfterSeconds: Math.max(1, Math.ceil(error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS)),
      });
    default:
      return problemOf(REGISTRY_STATUS_OF_KIND[error.kind], error.message);
  }
}
