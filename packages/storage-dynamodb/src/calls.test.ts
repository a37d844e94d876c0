/** Reads and removals that DynamoDB throttles, refuses, answers in part or does not answer. */
import { expect, it } from 'vitest';
import {
  type Answer,
  cancelled,
  createAnsweringClient,
  DONE,
  exception,
  LOST,
  SILENT,
  timeoutFor,
  UNSENT,
} from '../test/answering-client.js';
import { Calls } from './calls.js';
import { entryKey, recordKey } from './keys.js';
import { settingsOf } from './options.js';
import { sendTransaction } from './send-transaction.js';
import { createDynamoTable } from './table.js';
import { transactionOf } from './transaction.js';

const keys = ['a', 'b', 'c'].map((key) => recordKey(key, 16));
const wire = (key: string) => {
  const { p, s } = recordKey(key, 16);
  return { p, s: { B: Buffer.from(s.B).toString('base64') } };
};

function callsAgainst(...answers: readonly Answer[]) {
  const { client, requests } = createAnsweringClient(...answers);
  return {
    calls: new Calls(settingsOf({ table: 'postern', client, timeoutMs: timeoutFor(answers.at(-1)) })),
    requests,
  };
}

it.each([
  ['throttled', exception('ProvisionedThroughputExceededException')],
  ['not answered', LOST],
  ['not sent', UNSENT],
  ['failed', exception('InternalServerError', 500)],
])('a read that is %s is repeated, strongly consistent each time', async (_, answer) => {
  const { calls, requests } = callsAgainst(answer, { status: 200, body: { Item: wire('a') } });
  expect(await calls.get(recordKey('a', 16))).toMatchObject({ p: { S: expect.any(String) } });
  expect(requests.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true, true]);
});

it.each([
  ['throttled', exception('ThrottlingException')],
  ['not answered', LOST],
])('a read that is %s each time is unavailable', async (_, answer) => {
  const { calls } = callsAgainst(answer);
  await expect(calls.get(recordKey('a', 16))).rejects.toMatchObject({ name: 'StorageError', code: 'unavailable' });
});

it('a read that is denied is unavailable at once', async () => {
  const { calls, requests } = callsAgainst(exception('AccessDeniedException'));
  await expect(calls.get(recordKey('a', 16))).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests).toHaveLength(1);
});

it('asks again for what a batch left out', async () => {
  const { calls, requests } = callsAgainst(
    {
      status: 200,
      body: { Responses: { postern: [wire('a')] }, UnprocessedKeys: { postern: { Keys: [wire('b'), wire('c')] } } },
    },
    { status: 200, body: { Responses: { postern: [wire('b'), wire('c')] } } },
  );
  expect(await calls.getMany(keys)).toHaveLength(3);
  expect(requests).toHaveLength(2);
});

it('a batch that goes on leaving out everything is unavailable', async () => {
  const { calls } = callsAgainst({
    status: 200,
    body: { UnprocessedKeys: { postern: { Keys: keys.map((_, at) => wire(String(at))) } } },
  });
  await expect(calls.getMany(keys)).rejects.toMatchObject({ code: 'unavailable' });
});

it('reads several records as of one moment, again while a commit is in the way', async () => {
  const Responses = [{ Item: wire('a') }, {}, { Item: wire('c') }];
  const { calls, requests } = callsAgainst(cancelled('TransactionConflict', 'None', 'None'), {
    status: 200,
    body: { Responses },
  });
  expect(await calls.snapshot(keys)).toHaveLength(2);
  expect(requests.every((request) => 'TransactItems' in request)).toBe(true);
});

it('reads as of several moments only what is too large for one', async () => {
  const contended = callsAgainst(cancelled('TransactionConflict', 'None', 'None'));
  await expect(contended.calls.snapshot(keys)).rejects.toMatchObject({ code: 'unavailable' });
  expect(contended.requests.every((request) => 'TransactItems' in request)).toBe(true);
  const large = callsAgainst(cancelled('ValidationError', 'None', 'None'), {
    status: 200,
    body: { Responses: { postern: [wire('a')] } },
  });
  expect(await large.calls.snapshot(keys)).toHaveLength(1);
});

it('removes in batches of 25, and again what a batch left out', async () => {
  const entries = Array.from({ length: 30 }, (_, at) => entryKey('l', String(at), 16));
  const [first] = entries;
  const left = { p: first?.p, s: { B: Buffer.from(first?.s.B ?? []).toString('base64') } };
  const { calls, requests } = callsAgainst(
    { status: 200, body: { UnprocessedItems: { postern: [{ DeleteRequest: { Key: left } }] } } },
    DONE,
  );
  await calls.deleteMany(entries);
  expect(requests.map((request) => [...JSON.stringify(request).matchAll(/DeleteRequest/g)].length)).toEqual([25, 6]);
});

it.each([
  ['denied', exception('AccessDeniedException')],
  ['denied', exception('UnrecognizedClientException')],
  ['unusable', exception('LimitReachedException')],
  ['unreachable', UNSENT],
  ['unreachable', exception('ThrottlingException')],
])('a table that cannot be made is %s', async (code, answer) => {
  const { client } = createAnsweringClient(answer);
  const creating = createDynamoTable({ table: 'postern', client, timeoutMs: 50 });
  await expect(creating).rejects.toMatchObject({ name: 'DynamoOpenError', code });
});

it('tells the time of DynamoDB as the answer dates itself, and none where it does not', async () => {
  const date = 'Sun, 22 Nov 2026 12:00:00 GMT';
  const { calls } = callsAgainst(exception('ThrottlingException'), { status: 200, body: {}, headers: { date } });
  expect(await calls.now(recordKey('a', 16))).toBe(Date.parse(date) + 500);
  for (const answer of [DONE, { status: 200, body: {}, headers: { date: 'today' } }]) {
    await expect(callsAgainst(answer).calls.now(recordKey('a', 16))).rejects.toMatchObject({ code: 'unavailable' });
  }
});

it('a call ends with its time, whatever one request may take', async () => {
  const { client } = createAnsweringClient(SILENT);
  const calls = new Calls(settingsOf({ table: 'postern', client, requestTimeoutMs: 60_000, timeoutMs: 250 }));
  const begin = performance.now();
  await expect(calls.get(recordKey('a', 16))).rejects.toMatchObject({ code: 'unavailable' });
  const commit = transactionOf(
    [{ type: 'put', key: 'a', value: '', if: 'any' }],
    { table: 'postern', shards: 16 },
    () => '',
  );
  await expect(sendTransaction(calls, commit, undefined)).rejects.toMatchObject({ code: 'outcome_unknown' });
  expect(performance.now() - begin).toBeLessThan(10_000);
});
