/** What becomes of a commit that DynamoDB refuses, throttles or does not answer. The SDK is the real one, its network is not. */
import { inspect } from 'node:util';
import type { Operation } from '@postern/ports';
import { expect, it } from 'vitest';
import {
  type Answer,
  cancelled,
  createAnsweringClient,
  DONE,
  exception,
  LOST,
  timeoutFor,
  UNSENT,
} from '../test/answering-client.js';
import { Calls } from './calls.js';
import { settingsOf } from './options.js';
import { sendTransaction } from './send-transaction.js';
import { transactionOf } from './transaction.js';

const creation: readonly Operation[] = [
  { type: 'put', key: 'a', value: '1', if: 'absent' },
  { type: 'check', key: 'b', if: { version: 'old' } },
];

/** Commits against these answers, the last of which is repeated. @returns the outcome, and the tokens of the requests. */
async function commitAgainst(answers: readonly Answer[], operations = creation, signal?: AbortSignal) {
  const { client, requests } = createAnsweringClient(...answers);
  const calls = new Calls(settingsOf({ table: 'postern', client, timeoutMs: timeoutFor(answers.at(-1)) }));
  const transaction = transactionOf(operations, { table: 'postern', shards: 16 }, () => 'position');
  const outcome = await sendTransaction(calls, transaction, signal).then(
    () => 'done',
    (error: unknown) => error,
  );
  return { outcome, tokens: requests.map(({ ClientRequestToken }) => ClientRequestToken) };
}

it.each([
  ['throttled', exception('ProvisionedThroughputExceededException')],
  ['throttled', exception('ThrottlingException')],
  ['throttled in a transaction', cancelled('ThrottlingError', 'None')],
  ['in the way of another', cancelled('TransactionConflict', 'None')],
  ['in the way of another, and refused', cancelled('TransactionConflict', 'ConditionalCheckFailed')],
  ['not answered', LOST],
  ['not sent', UNSENT],
  ['failed', exception('InternalServerError', 500)],
  ['under way', exception('TransactionInProgressException')],
])('a commit that is %s is sent again under its token', async (_, answer) => {
  const { outcome, tokens } = await commitAgainst([answer, DONE]);
  expect(outcome).toBe('done');
  expect(tokens).toHaveLength(2);
  expect(tokens[0]).toMatch(/^[\w-]{22}$/);
  expect(tokens[1]).toBe(tokens[0]);
});

it.each([
  ['unavailable', 'throttled', exception('ThrottlingException')],
  ['unavailable', 'in the way of others', cancelled('TransactionConflict', 'None')],
  ['unavailable', 'not sent', UNSENT],
  ['unavailable', 'denied', exception('AccessDeniedException')],
  ['outcome_unknown', 'not answered', LOST],
  ['outcome_unknown', 'failed', exception('ServiceUnavailable', 503)],
  ['outcome_unknown', 'under way', exception('TransactionInProgressException')],
])('is %s for a commit that is %s each time', async (code, _, answer) => {
  expect((await commitAgainst([answer])).outcome).toMatchObject({ name: 'StorageError', code });
});

it.each([
  [['a'], cancelled('ConditionalCheckFailed', 'None')],
  [['a', 'b'], cancelled('ConditionalCheckFailed', 'ConditionalCheckFailed')],
  [['b'], cancelled('None', 'ConditionalCheckFailed')],
])('names the keys %j whose precondition failed', async (keys, answer) => {
  const { outcome, tokens } = await commitAgainst([answer]);
  expect(outcome).toMatchObject({ code: 'conflict', keys });
  expect(tokens).toHaveLength(1);
});

it('is a conflict where a condition fails while others are in the way each time', async () => {
  const { outcome } = await commitAgainst([cancelled('TransactionConflict', 'ConditionalCheckFailed')]);
  expect(outcome).toMatchObject({ code: 'conflict', keys: ['b'] });
});

it('after a lost answer, a version that is gone is a conflict: it never returns', async () => {
  const { outcome } = await commitAgainst([LOST, cancelled('None', 'ConditionalCheckFailed')]);
  expect(outcome).toMatchObject({ code: 'conflict', keys: ['b'] });
});

it('after a lost answer, a record that must be absent leaves the outcome unknown: the first request may still arrive', async () => {
  const { outcome } = await commitAgainst([LOST, cancelled('ConditionalCheckFailed', 'None')]);
  expect(outcome).toMatchObject({ code: 'outcome_unknown' });
});

it('after a lost answer, no refusal says that nothing was applied', async () => {
  const { outcome } = await commitAgainst([LOST, exception('AccessDeniedException')]);
  expect(outcome).toMatchObject({ code: 'outcome_unknown' });
});

it('is aborted between two attempts only while no request may have been carried out', async () => {
  const signal = AbortSignal.abort();
  expect((await commitAgainst([UNSENT, DONE], creation, signal)).outcome).toMatchObject({ code: 'aborted' });
  expect((await commitAgainst([LOST, DONE], creation, signal)).outcome).toBe('done');
});

it('refuses what DynamoDB calls too large', async () => {
  expect((await commitAgainst([cancelled('ValidationError', 'None')])).outcome).toMatchObject({ code: 'limit' });
});

it('refuses a commit of more than 4 MB before it is sent', async () => {
  const value = 'v'.repeat(300 * 1024);
  const operations = Array.from(
    { length: 14 },
    (_, at): Operation => ({ type: 'put', key: `k${at}`, value, if: 'any' }),
  );
  await expect(commitAgainst([DONE], operations)).rejects.toMatchObject({ code: 'limit' });
  expect((await commitAgainst([DONE], operations.slice(1))).outcome).toBe('done');
});

it('says nothing of keys and values in its errors', async () => {
  const secret = exception('AccessDeniedException', 400, { message: 'hunter2' });
  const { outcome } = await commitAgainst([secret]);
  expect(inspect(outcome)).not.toContain('hunter2');
});
