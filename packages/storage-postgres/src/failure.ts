/**
 * What an error of the driver means. Only what the server says of itself is passed on: the details of its answers quote
 * rows, and an error of the driver may carry the settings of the connection, password included.
 */
import type { StorageFault } from '@postern/ports';

/** A `SQLSTATE`: two characters of class, three of condition (PostgreSQL, Appendix A). */
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Classes that the server answers with after it has rolled the transaction back: data, integrity, rights, resources,
 * limits, unknown prepared statements, objects not in the state for it, and what a function raises.
 */
const ROLLED_BACK_CLASSES: ReadonlySet<string> = new Set([
  '0A',
  '21',
  '22',
  '23',
  '25',
  '26',
  '40',
  '42',
  '53',
  '54',
  '55',
  'P0',
]);
const QUERY_CANCELED = '57014';
const COMPLETION_UNKNOWN = '40003';
const IDLE_IN_TRANSACTION = '25P03';

/** Another transaction was in the way, and nothing stands against trying again at once. */
const TRY_AGAIN: ReadonlySet<string> = new Set(['40001', '40P01', '23505']);

const FOREIGN_STATEMENT: ReadonlySet<string> = new Set(['26000', '42P05']);

/** The code with which the server answered; undefined for an error of the connection or of the driver. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && SQLSTATE.test(code) && error instanceof Error && 'severity' in error ? code : undefined;
}

/**
 * Whether the server has said that nothing of the transaction stands. What ends the connection too (`57P01`, say) proves
 * nothing: it may come between the commit and its answer.
 */
export function isRolledBack(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return false;
  if (state === QUERY_CANCELED) return true;
  return ROLLED_BACK_CLASSES.has(state.slice(0, 2)) && state !== COMPLETION_UNKNOWN && state !== IDLE_IN_TRANSACTION;
}

/** Whether a transaction that was rolled back may be tried again at once. */
export function mayBeTriedAgain(error: unknown): boolean {
  return TRY_AGAIN.has(sqlStateOf(error) ?? '');
}

/**
 * Whether the server did not know the prepared statement, or knew one already: another server connection than before answers,
 * for a pooler in transaction mode stands between. Nothing was done.
 */
export function isForeignStatement(error: unknown): boolean {
  return FOREIGN_STATEMENT.has(sqlStateOf(error) ?? '');
}

/** Whether a row was locked by others for too long. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === '55P03';
}

/** Whether the driver refused before it sent anything: the connection had broken while it lay in the pool. */
export function isNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith(' not queryable');
}

/** The error as it may be seen: its code and, where they cannot hold data, its words. */
export function safeCause(error: unknown): Error {
  const state = sqlStateOf(error);
  const code = codeOf(error);
  if (state === undefined) {
    const words = error instanceof Error && error.message !== '' ? error.message : 'The connection failed.';
    return code === undefined ? new Error(words) : Object.assign(new Error(words), { code });
  }
  return Object.assign(new Error(`PostgreSQL answered with SQLSTATE ${state}`), { code: state });
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What an operator must mend, where PostgreSQL tells (Appendix A: disk_full, read_only_sql_transaction, data_corrupted). */
export function faultOf(error: unknown): StorageFault | undefined {
  switch (sqlStateOf(error)) {
    case '53100':
      return 'full';
    case '25006':
      return 'read_only';
    case 'XX001':
    case 'XX002':
      return 'broken';
    default:
      return undefined;
  }
}
