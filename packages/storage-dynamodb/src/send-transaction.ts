/** Sends a transaction until DynamoDB has said what became of it. */
import { type CancellationReason, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { checkSignal, StorageError } from '@postern/ports';
import type { Calls } from './calls.js';
import { cancellationOf, failureOf, safeCause, unavailable, wasRepeated } from './failure.js';
import type { Transaction } from './transaction.js';

/** Another transaction ends within some milliseconds: longer pauses would leave the record unused. */
const MAX_CONFLICT_PAUSE_MS = 80;

/**
 * A request that got no answer is sent again under the same token: where it had been carried out DynamoDB answers so, and
 * does nothing. Only if no answer comes in time the outcome stays unknown.
 *
 * @param signal ends it between two attempts while no request may have been carried out.
 * @throws StorageError `conflict`, `unavailable`, `outcome_unknown`, `limit`, `aborted`.
 */
export async function sendTransaction(
  calls: Calls,
  transaction: Transaction,
  signal: AbortSignal | undefined,
  patience = calls.patience(),
): Promise<void> {
  const input = { TransactItems: [...transaction.items], ClientRequestToken: transaction.token };
  let mayHaveApplied = false;
  for (;;) {
    try {
      await calls.once(
        (options) => calls.client.send(new TransactWriteItemsCommand(input), options),
        undefined,
        patience,
      );
      return;
    } catch (error) {
      const wasUnanswered: boolean = mayHaveApplied || wasRepeated(error);
      const reasons = cancellationOf(error);
      const end = reasons === undefined ? undefined : cancelled(transaction, reasons, wasUnanswered);
      if (end?.isFinal === true) throw end.error;
      const kind = failureOf(error);
      mayHaveApplied = wasUnanswered || kind === 'unanswered';
      const isInTheWay = reasons?.some(({ Code }) => Code === 'TransactionConflict') === true;
      if (kind === 'refused' || !(await patience.again(isInTheWay ? MAX_CONFLICT_PAUSE_MS : undefined))) {
        if (mayHaveApplied) throw unknown(error);
        const why = isInTheWay ? 'other commits were in its way each time' : 'the table could not be written';
        throw end?.error ?? unavailable(`${why}; nothing was applied`, error);
      }
      if (!mayHaveApplied) checkSignal({ signal });
    }
  }
}

/** Why it was cancelled. Not final while another transaction was in the way: then some conditions may not have been judged. */
function cancelled(
  { conditions }: Transaction,
  reasons: readonly CancellationReason[],
  wasUnanswered: boolean,
): { readonly error: StorageError; readonly isFinal: boolean } | undefined {
  const codes = reasons.map(({ Code }) => Code);
  if (codes.includes('ValidationError') || codes.includes('ItemCollectionSizeLimitExceeded')) {
    return { error: new StorageError('limit', 'DynamoDB refused an item: it exceeds 400 KB'), isFinal: true };
  }
  const failed = conditions.flatMap((condition, at) =>
    condition !== undefined && codes[at] === 'ConditionalCheckFailed' ? [condition] : [],
  );
  if (failed.length === 0) return undefined;
  const isFinal = codes.every((code) => code === undefined || code === 'None' || code === 'ConditionalCheckFailed');
  // An earlier request may still be on its way. A version that is gone never returns, so that it can't apply any more; what
  // was there and must be absent can be deleted before it arrives.
  const isCertain = !wasUnanswered || failed.some((operation) => typeof operation.if === 'object');
  const keys = failed.map(({ key }) => key);
  const error = isCertain
    ? new StorageError('conflict', 'a precondition failed', { keys })
    : new StorageError('outcome_unknown', 'a commit was sent, no answer came, and its preconditions fail now');
  return { error, isFinal };
}

function unknown(error: unknown): StorageError {
  return new StorageError('outcome_unknown', 'a commit was sent, and no answer came', { cause: safeCause(error) });
}
