/** Why a database could not be opened: an operator must act, so each reason has its own code and says what to do. */

/**
 * `unreachable`: no server answers at that address. `refused`: it does not let this user in. `denied`: the user may not read, write or
 * make what is needed. `newer_schema`: a later Postern wrote it. `foreign_schema`: tables of another program stand there.
 * `broken_schema`: parts of it are missing. `not_encrypted`: neither TLS nor its absence was chosen. `replica`: it is a standby that only reads. `unusable`: anything else.
 */
export type PostgresOpenErrorCode =
  | 'unreachable'
  | 'refused'
  | 'denied'
  | 'newer_schema'
  | 'foreign_schema'
  | 'broken_schema'
  | 'not_encrypted'
  | 'replica'
  | 'unusable';

/** Thrown by `openPostgresStorage` alone. The message names host, database and user, never a password. */
export class PostgresOpenError extends Error {
  override readonly name = 'PostgresOpenError';
  readonly code: PostgresOpenErrorCode;

  constructor(code: PostgresOpenErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const codes: ReadonlySet<unknown> = new Set([
  'unreachable',
  'refused',
  'denied',
  'newer_schema',
  'foreign_schema',
  'broken_schema',
  'not_encrypted',
  'replica',
  'unusable',
]);

/** Recognises a `PostgresOpenError` by shape, also one made by another copy of this package. */
export function isPostgresOpenError(error: unknown): error is PostgresOpenError {
  return error instanceof Error && error.name === 'PostgresOpenError' && 'code' in error && codes.has(error.code);
}
