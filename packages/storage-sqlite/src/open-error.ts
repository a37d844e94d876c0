/** Why a database could not be opened: an operator must act, so each reason has its own code and says what to do. */

import type { StorageFault } from '@postern/ports';

/**
 * `in_use`: another process, or this one, has the file open. `newer_schema`: a later Postern wrote it.
 * `foreign_file`: it is not a Postern database. `corrupt`: its contents cannot be trusted. `unusable`: it can't be created, read or written.
 */
export type SqliteOpenErrorCode = 'in_use' | 'newer_schema' | 'foreign_file' | 'corrupt' | 'unusable';

/** Thrown by `openSqliteStorage` alone. The message names the file. */
export class SqliteOpenError extends Error {
  override readonly name = 'SqliteOpenError';
  readonly code: SqliteOpenErrorCode;
  readonly file: string;

  constructor(code: SqliteOpenErrorCode, file: string, advice: string, cause?: unknown) {
    super(`cannot open the database ${file}: ${advice}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.file = file;
  }
}

const codes: ReadonlySet<unknown> = new Set(['in_use', 'newer_schema', 'foreign_file', 'corrupt', 'unusable']);

/** Recognises a `SqliteOpenError` by shape, also one made by another copy of this package. */
export function isSqliteOpenError(error: unknown): error is SqliteOpenError {
  return error instanceof Error && error.name === 'SqliteOpenError' && 'code' in error && codes.has(error.code);
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) that mean something to this adapter. */
export const SQLITE_RESULT = { busy: 5, readOnly: 8, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

/** What an operator must mend, where SQLite tells. */
export function faultOf(error: unknown): StorageFault | undefined {
  switch (sqliteResultOf(error)) {
    case SQLITE_RESULT.full:
      return 'full';
    case SQLITE_RESULT.readOnly:
    case SQLITE_RESULT.cannotOpen:
      return 'read_only';
    case SQLITE_RESULT.corrupt:
    case SQLITE_RESULT.notADatabase:
      return 'broken';
    default:
      return undefined;
  }
}

/** The primary result code of an error from the driver; undefined when SQLite did not report it. */
export function sqliteResultOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/** The system's own words for a call that failed, ready to follow advice: ` (EACCES: permission denied, mkdir '/data')`. */
export function systemReason(error: unknown): string {
  return error instanceof Error && 'syscall' in error ? ` (${error.message})` : '';
}
