/** Why a table could not be opened or made: an operator must act, so each reason has its own code and says what to do. */

/**
 * `unreachable`: DynamoDB does not answer. `denied`: credentials are missing, refused, or don't permit what is needed.
 * `no_table`: the table does not exist. `foreign_table`: its key is not that of a Postern table. `newer_table`: a later Postern
 * made it. `unusable`: anything else.
 */
export type DynamoOpenErrorCode = 'unreachable' | 'denied' | 'no_table' | 'foreign_table' | 'newer_table' | 'unusable';

/** Thrown by `openDynamoStorage` and `createDynamoTable` alone. The message names the table, never credentials. */
export class DynamoOpenError extends Error {
  override readonly name = 'DynamoOpenError';
  readonly code: DynamoOpenErrorCode;

  constructor(code: DynamoOpenErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const codes: ReadonlySet<unknown> = new Set([
  'unreachable',
  'denied',
  'no_table',
  'foreign_table',
  'newer_table',
  'unusable',
]);

/** Recognises a `DynamoOpenError` by shape, also one made by another copy of this package. */
export function isDynamoOpenError(error: unknown): error is DynamoOpenError {
  return error instanceof Error && error.name === 'DynamoOpenError' && 'code' in error && codes.has(error.code);
}
