/** What an error of the SDK means: whether something may have happened, and whether trying again can help. */
import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { StorageError } from '@postern/ports';

/**
 * `refused`: DynamoDB said no. `throttled`: no, for now. `unsent`: the request did not leave. `unanswered`: it may have been
 * carried out, or still be under way.
 */
export type FailureKind = 'refused' | 'throttled' | 'unsent' | 'unanswered';

const THROTTLED: ReadonlySet<unknown> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'LimitExceededException',
  'TransactionConflictException',
]);

const MALFORMED = 'ValidationError';

/** Of the same client request token: carried out as this is answered. */
const IN_PROGRESS = 'TransactionInProgressException';

const UNSENT_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function isThrottling(name: unknown): boolean {
  return THROTTLED.has(name);
}

export function failureOf(error: unknown): FailureKind {
  const reasons = cancellationOf(error);
  if (reasons !== undefined) return isMalformed(reasons) ? 'refused' : 'throttled';
  const name = error instanceof Error ? error.name : '';
  const status = statusOf(error);
  if (name === IN_PROGRESS) return 'unanswered';
  if (isThrottling(name)) return 'throttled';
  if (status === undefined) return isUnsent(error) ? 'unsent' : 'unanswered';
  if (status >= 500) return 'unanswered';
  return hasCorrectedClock(error) ? 'throttled' : 'refused';
}

/** Why a transaction was cancelled, for each of its items; undefined for every other error. Nothing of it was applied. */
export function cancellationOf(error: unknown): readonly CancellationReason[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return undefined;
  // `CancellationReasons` is modelled; what stands in it is only compared.
  return 'CancellationReasons' in error && Array.isArray(error.CancellationReasons) ? error.CancellationReasons : [];
}

/** Whether a client of the caller's own has tried more than once: an attempt may have had no answer. */
export function wasRepeated(error: unknown): boolean {
  const attempts = metadataOf(error)?.['attempts'];
  return typeof attempts === 'number' && attempts > 1;
}

/** Whether DynamoDB will never carry it out; every other reason goes by itself, but for failed conditions. */
function isMalformed(reasons: readonly CancellationReason[]): boolean {
  return reasons.length === 0 || reasons.some(({ Code }) => Code === MALFORMED);
}

/** Whether a transaction that reads asks for more than 4 MB, as far as DynamoDB tells. */
export function isTooLarge(cause: unknown): boolean {
  return (
    cause instanceof Error && 'code' in cause && (cause.code === MALFORMED || cause.code === 'ValidationException')
  );
}

/** The port's error for what was not carried out. */
export function unavailable(message: string, error: unknown): StorageError {
  return new StorageError('unavailable', message, { cause: safeCause(error) });
}

/** The error by name and status: messages of DynamoDB may quote keys, and the SDK's errors hold the whole answer. */
export function safeCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the request failed');
  const reasons = cancellationOf(error);
  if (reasons !== undefined && isMalformed(reasons)) {
    return Object.assign(new Error(`DynamoDB answered ${MALFORMED}`), { code: MALFORMED });
  }
  const status = statusOf(error);
  if (status !== undefined)
    return Object.assign(new Error(`DynamoDB answered ${error.name} (${status})`), { code: error.name });
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return Object.assign(new Error(`the request to DynamoDB failed: ${code}`), { code });
}

function statusOf(error: unknown): number | undefined {
  const status = metadataOf(error)?.['httpStatusCode'];
  return typeof status === 'number' ? status : undefined;
}

function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'CredentialsProviderError' || error.name === 'TokenProviderError') return true;
  // So says the SDK's handler once `connectionTimeout` is over.
  if (error.name === 'TimeoutError' && /establish a connection/.test(error.message)) return true;
  return 'code' in error && UNSENT_CODES.has(error.code);
}

/** The SDK has noticed that this clock is wrong, and signs the next request by the service's. */
function hasCorrectedClock(error: unknown): boolean {
  return metadataOf(error)?.['clockSkewCorrected'] === true;
}

function metadataOf(error: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  return typeof metadata === 'object' && metadata !== null ? { ...metadata } : undefined;
}
