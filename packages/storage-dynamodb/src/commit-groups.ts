/**
 * Commits that check the same record, such as the logins of one role. Two transactions with one item are in each other's way, a
 * check as much as a write: DynamoDB refuses the later one at once. So of the commits of a process that check one record only one
 * is under way, and those that come meanwhile are one transaction after it. Each keeps its own outcome.
 */
import { isStorageError, type RecordOperation, StorageError } from '@postern/ports';
import type { Calls } from './calls.js';
import { sendTransaction } from './send-transaction.js';
import { MAX_BYTES, merge, type Transaction } from './transaction.js';

/** What `TransactWriteItems` takes. */
const MAX_ITEMS = 100;

interface Member {
  readonly transaction: Transaction;
  readonly signal: AbortSignal | undefined;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class CommitGroups {
  readonly #calls: Calls;
  /** By the record that is checked, while a commit with that check is under way: those that wait. */
  readonly #waiting = new Map<string, Member[]>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** @throws StorageError as `sendTransaction`. */
  commit(transaction: Transaction, signal: AbortSignal | undefined): Promise<void> {
    const checked = transaction.conditions.find((operation) => operation?.type === 'check')?.key;
    if (checked === undefined) return sendTransaction(this.#calls, transaction, signal);
    const waiting = this.#waiting.get(checked);
    if (waiting !== undefined) {
      return new Promise((resolve, reject) => {
        waiting.push({ transaction, signal, since: performance.now(), resolve, reject });
      });
    }
    this.#waiting.set(checked, []);
    return sendTransaction(this.#calls, transaction, signal).finally(() => void this.#sendWaiting(checked));
  }

  /** Until nobody waits. Never rejects. */
  async #sendWaiting(checked: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(checked) ?? [];
      const [group, left] = groupOf(waiting.filter((member) => this.#isWanted(member)));
      // Those that come from here on wait for this group.
      this.#waiting.set(checked, left);
      if (group.length === 0) break;
      left.unshift(...(await this.#send(group)));
    }
    this.#waiting.delete(checked);
  }

  /** Whether its caller still waits. One that does not, or that has waited too long, is refused: nothing of it was sent. */
  #isWanted({ signal, since, reject }: Member): boolean {
    if (signal?.aborted === true) {
      reject(new StorageError('aborted', 'the call was aborted'));
      return false;
    }
    if (this.#calls.patience(since).hasTime) return true;
    reject(new StorageError('unavailable', 'the commits ahead of this one took too long; nothing was applied'));
    return false;
  }

  /** @returns those that were in no way refused, and are to be sent again without those that were. */
  async #send(group: readonly Member[]): Promise<readonly Member[]> {
    const [first, second] = group;
    if (first === undefined) return [];
    try {
      const patience = this.#calls.patience(first.since);
      if (second === undefined) await sendTransaction(this.#calls, first.transaction, first.signal, patience);
      else await sendTransaction(this.#calls, merge(group.map(({ transaction }) => transaction)), undefined, patience);
      for (const { resolve } of group) resolve();
      return [];
    } catch (error) {
      return second === undefined ? refuse(group, error) : this.#judge(group, error);
    }
  }

  /** Nothing of a group was applied where a precondition failed: only those whose own it was are refused. */
  async #judge(group: readonly Member[], error: unknown): Promise<readonly Member[]> {
    const code = isStorageError(error) ? error.code : undefined;
    if (code === 'limit') {
      // One of them is too large, and DynamoDB does not say which.
      for (const member of group) await this.#send([member]);
      return [];
    }
    const failed = new Set(code === 'conflict' && isStorageError(error) ? error.keys : []);
    const left: Member[] = [];
    for (const member of group) {
      const keys = keysOf(member).filter((key) => failed.has(key));
      if (keys.length > 0) member.reject(new StorageError('conflict', 'a precondition failed', { keys }));
      else left.push(member);
    }
    return left.length < group.length ? left : refuse(group, error);
  }
}

function refuse(group: readonly Member[], error: unknown): readonly Member[] {
  for (const { reject } of group) reject(error);
  return [];
}

/** As many as one transaction takes, in order, which names no item twice; and those that are left. */
function groupOf(waiting: readonly Member[]): readonly [group: readonly Member[], left: Member[]] {
  const group: Member[] = [];
  const left: Member[] = [];
  const uses = new Map<string, string>();
  let [items, bytes] = [0, 0];
  for (const member of waiting) {
    const { transaction } = member;
    const own = operationsOf(member).map((operation) => [operation.key, useOf(operation)] as const);
    const shared = own.filter(([key, use]) => uses.get(key) === use && use !== WRITTEN).length;
    const isApart = own.every(([key, use]) => !uses.has(key) || (uses.get(key) === use && use !== WRITTEN));
    const fits = items + transaction.items.length - shared <= MAX_ITEMS && bytes + transaction.bytes <= MAX_BYTES;
    if (!isApart || !fits) {
      left.push(member);
      continue;
    }
    group.push(member);
    for (const [key, use] of own) uses.set(key, use);
    items += transaction.items.length - shared;
    bytes += transaction.bytes;
  }
  return [group, left];
}

const WRITTEN = 'written';

/** What a transaction does with a record, so that two can tell whether they may be one. */
function useOf(operation: RecordOperation): string {
  return operation.type === 'check' ? `checked ${JSON.stringify(operation.if)}` : WRITTEN;
}

function operationsOf({ transaction }: Member): readonly RecordOperation[] {
  return transaction.conditions.filter((operation) => operation !== undefined);
}

function keysOf(member: Member): readonly string[] {
  return operationsOf(member).map(({ key }) => key);
}
