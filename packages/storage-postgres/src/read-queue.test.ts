import type { StoredRecord } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createReadQueue } from './read-queue.js';

const recordOf = (key: string): StoredRecord => ({ key, value: `of ${key}`, version: '1', expiresAt: undefined });

/** A database that answers when it is told to. */
function createDatabase() {
  const questions: { readonly keys: readonly string[]; answer(): void; fail(error: Error): void }[] = [];
  const read = (keys: readonly string[]) =>
    new Promise<readonly StoredRecord[]>((resolve, reject) => {
      questions.push({ keys, answer: () => resolve(keys.map(recordOf)), fail: reject });
    });
  return { read, questions };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a queue of reads', () => {
  it('asks once for what is asked in one turn, each key once, and gives everybody theirs', async () => {
    const { read, questions } = createDatabase();
    const queue = createReadQueue(read);
    const asked = [queue.ask(['role', 'a'], undefined), queue.ask(['role', 'b'], undefined)];
    await turn();
    expect(questions.map(({ keys }) => keys)).toEqual([['role', 'a', 'b']]);
    questions[0]?.answer();
    const [first, second] = await Promise.all(asked);
    expect([first?.get('a'), second?.get('role')]).toEqual([recordOf('a'), recordOf('role')]);
  });

  it('gathers while two questions are under way, and never answers from one that was asked before', async () => {
    const { read, questions } = createDatabase();
    const queue = createReadQueue(read);
    const asked: Promise<unknown>[] = [];
    for (const key of ['k', 'k', 'k', 'k']) {
      asked.push(queue.ask([key], undefined));
      await turn();
    }
    expect(questions).toHaveLength(2);
    questions[1]?.answer();
    await turn();
    await turn();
    // The third and the fourth in one: the answers under way are of a moment before them.
    expect(questions.map(({ keys }) => keys)).toEqual([['k'], ['k'], ['k']]);
    for (const question of questions) question.answer();
    await Promise.all(asked);
    expect(questions).toHaveLength(3);
  });

  it('fails those alone whose question failed', async () => {
    const { read, questions } = createDatabase();
    const queue = createReadQueue(read);
    const failing = [queue.ask(['a'], undefined), queue.ask(['b'], undefined)];
    await turn();
    const other = queue.ask(['c'], undefined);
    await turn();
    const failure = new Error('the connection broke');
    questions[0]?.fail(failure);
    questions[1]?.answer();
    expect((await Promise.allSettled(failing)).map((each) => each.status === 'rejected' && each.reason)).toEqual([
      failure,
      failure,
    ]);
    expect((await other).get('c')).toEqual(recordOf('c'));
  });

  it('leaves out whose caller gave up before it was sent, and takes no other with it', async () => {
    const { read, questions } = createDatabase();
    const queue = createReadQueue(read);
    const controller = new AbortController();
    const given = queue.ask(['a'], controller.signal);
    const kept = queue.ask(['b'], undefined);
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    expect(questions.map(({ keys }) => keys)).toEqual([['b']]);
    questions[0]?.answer();
    expect((await kept).get('b')).toEqual(recordOf('b'));
  });

  it('waits a moment for questions that hang, and no longer', async () => {
    const { read, questions } = createDatabase();
    const queue = createReadQueue(read);
    for (const key of ['a', 'b']) {
      void queue.ask([key], undefined);
      await turn();
    }
    const behind = queue.ask(['c'], undefined);
    await expect.poll(() => questions.length, { timeout: 2_000 }).toBe(3);
    questions[2]?.answer();
    expect((await behind).get('c')).toEqual(recordOf('c'));
  });

  it('bounds a question, and asks the rest in the next', async () => {
    const { read, questions } = createDatabase();
    const queue = createReadQueue(read);
    const many = Array.from({ length: 1_200 }, (_, at) => queue.ask([`k${at}`], undefined));
    for (let count = 0; count < 3; count += 1) {
      await turn();
      await turn();
      questions[count]?.answer();
    }
    await Promise.all(many);
    expect(questions.map(({ keys }) => keys.length)).toEqual([500, 500, 200]);
  });
});
