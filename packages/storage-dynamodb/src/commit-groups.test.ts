/** Commits that check one record, as one transaction; each with its own outcome. */
import type { Operation } from '@postern/ports';
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
} from '../test/answering-client.js';
import { Calls } from './calls.js';
import { CommitGroups } from './commit-groups.js';
import { settingsOf } from './options.js';
import { transactionOf } from './transaction.js';

const ROLE: Operation = { type: 'check', key: 'role', if: { version: 'v1' } };

const login = (name: string, check = ROLE): readonly Operation[] => [
  { type: 'put', key: `entry/${name}`, value: 'e', expiresAt: 1, if: 'absent' },
  { type: 'put', key: `token/${name}`, value: 't', expiresAt: 1, if: 'absent' },
  check,
  { type: 'append', log: 'events', value: name },
];

/** Begins all commits at once. @returns their outcomes, and how many items each request had. */
async function commitAll(
  commits: readonly (readonly Operation[])[],
  answers: readonly Answer[],
  signals: readonly (AbortSignal | undefined)[] = [],
) {
  const { client, requests } = createAnsweringClient(...answers);
  const groups = new CommitGroups(
    new Calls(settingsOf({ table: 'postern', client, timeoutMs: timeoutFor(answers.at(-1)) })),
  );
  let count = 0;
  const position = () => {
    count += 1;
    return String(count);
  };
  const outcomes = await Promise.allSettled(
    commits.map((operations, at) =>
      groups.commit(transactionOf(operations, { table: 'postern', shards: 16 }, position), signals[at]),
    ),
  );
  return {
    outcomes: outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 'done' : [outcome.reason.code, ...outcome.reason.keys],
    ),
    items: requests.map(({ TransactItems }) => (Array.isArray(TransactItems) ? TransactItems.length : 0)),
    tokens: requests.map(({ ClientRequestToken }) => ClientRequestToken),
    requests,
  };
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `i-${at}`);
const done = (count: number) => names(count).map(() => 'done');

it('sends the first at once, and up to 19 logins of a role in one transaction, which checks it once', async () => {
  const { outcomes, items, tokens } = await commitAll(
    names(40).map((name) => login(name)),
    [DONE],
  );
  expect(outcomes).toEqual(done(40));
  expect(items).toEqual([6, 96, 96, 6]);
  expect(new Set(tokens).size).toBe(4);
});

it('leaves commits apart that check other records, and those that check nothing', async () => {
  const other: Operation = { type: 'check', key: 'other', if: 'present' };
  const write: readonly Operation[] = [{ type: 'put', key: 'k', value: 'v', if: 'any' }];
  const { items } = await commitAll([login('a'), login('b', other), write, write], [DONE]);
  expect(items).toEqual([6, 6, 1, 1]);
});

it('names no item twice in a transaction', async () => {
  const unlike: Operation = { type: 'check', key: 'role', if: { version: 'v2' } };
  const change: readonly Operation[] = [{ type: 'put', key: 'role', value: 'v', if: 'any' }];
  const both: readonly Operation[] = [...login('e'), { type: 'check', key: 'other', if: 'present' }];
  const writer: readonly Operation[] = [...login('f'), { type: 'put', key: 'other', value: 'v', if: 'any' }];
  const { outcomes, items, requests } = await commitAll(
    [login('a'), login('b'), login('b'), login('c', unlike), login('d'), change, both, writer],
    [DONE],
  );
  expect(outcomes).toEqual(done(8));
  // `change` checks nothing. Then b, d and `both`; then the second b and `writer`; then c.
  expect(items).toEqual([6, 1, 17, 12, 6]);
  for (const { TransactItems } of requests) {
    const keys = Array.isArray(TransactItems)
      ? TransactItems.map((item: Record<string, { Item?: object; Key?: object }>) => {
          const [{ Item, Key } = {}] = Object.values(item);
          const { p, s } = { p: undefined, s: undefined, ...(Item ?? Key) };
          return JSON.stringify([p, s]);
        })
      : [];
    expect(new Set(keys).size).toBe(keys.length);
  }
});

it('refuses only those whose own precondition failed, and sends the others again', async () => {
  // Of the group: the items of b are 0 to 4, then the check; those of c begin at 6.
  const codes = Array.from({ length: 16 }, (_, at) => (at === 6 ? 'ConditionalCheckFailed' : 'None'));
  const { outcomes, items } = await commitAll(
    ['a', 'b', 'c', 'd'].map((name) => login(name)),
    [DONE, cancelled(...codes), DONE],
  );
  expect(outcomes).toEqual(['done', 'done', ['conflict', 'entry/c'], 'done']);
  expect(items).toEqual([6, 16, 11]);
});

it('refuses all of them once the record that they check has changed', async () => {
  const codes = Array.from({ length: 11 }, (_, at) => (at === 4 ? 'ConditionalCheckFailed' : 'None'));
  const { outcomes } = await commitAll(
    ['a', 'b', 'c'].map((name) => login(name)),
    [DONE, cancelled(...codes)],
  );
  expect(outcomes).toEqual(['done', ['conflict', 'role'], ['conflict', 'role']]);
});

it.each([
  ['unavailable', exception('ThrottlingException')],
  ['unavailable', cancelled('TransactionConflict')],
  ['outcome_unknown', LOST],
])('is %s for each where the group is', async (code, answer) => {
  const { outcomes, tokens } = await commitAll(
    ['a', 'b', 'c'].map((name) => login(name)),
    [DONE, answer],
  );
  expect(outcomes).toEqual(['done', [code], [code]]);
  expect(new Set(tokens).size).toBe(2);
});

it('settles a group whose answer was lost under its token', async () => {
  const { outcomes, tokens } = await commitAll(
    ['a', 'b', 'c'].map((name) => login(name)),
    [DONE, LOST, DONE],
  );
  expect(outcomes).toEqual(done(3));
  expect(tokens[2]).toBe(tokens[1]);
});

it('sends each alone where DynamoDB calls one too large', async () => {
  const { outcomes, items } = await commitAll(
    ['a', 'b', 'c'].map((name) => login(name)),
    [DONE, cancelled('ValidationError', 'None'), DONE, cancelled('ValidationError', 'None')],
  );
  expect(outcomes).toEqual(['done', 'done', ['limit']]);
  expect(items).toEqual([6, 11, 6, 6]);
});

it('does not send one whose caller gave up while it waited', async () => {
  const controller = new AbortController();
  const committed = commitAll(
    ['a', 'b', 'c'].map((name) => login(name)),
    [DONE],
    [undefined, controller.signal],
  );
  controller.abort();
  const { outcomes, items } = await committed;
  expect(outcomes).toEqual(['done', ['aborted'], 'done']);
  expect(items).toEqual([6, 6]);
});

it('refuses those whose time was over when the one ahead of them ended, unsent', async () => {
  const { outcomes, items } = await commitAll(
    ['a', 'b', 'c'].map((name) => login(name)),
    [SILENT],
  );
  expect(outcomes).toEqual([['outcome_unknown'], ['unavailable'], ['unavailable']]);
  expect(items).toEqual([6]);
});

it('keeps within 4 MB', async () => {
  const value = 'v'.repeat(300 * 1024);
  const large = (name: string): readonly Operation[] => [
    ...Array.from({ length: 6 }, (_, at): Operation => ({ type: 'put', key: `${name}/${at}`, value, if: 'any' })),
    ROLE,
  ];
  const { outcomes, items } = await commitAll(['a', 'b', 'c', 'd'].map(large), [DONE]);
  expect(outcomes).toEqual(done(4));
  expect(items).toEqual([7, 13, 7]);
});
