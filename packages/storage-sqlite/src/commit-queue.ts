/**
 * Group commit: what arrives while the event loop turns, or while the disk is busy, is written as one transaction, so that many
 * callers share one wait for the disk. Every caller is answered only after the flush. Meanwhile the event loop turns.
 */
import { type CommitResult, StorageError } from '@postern/ports';
import { type CommitOutcome, type EncodedOperation, sizeOf } from './transaction.js';

/** A group ends at this many operations or bytes, whichever comes first, to bound how long it blocks the event loop. */
const MAX_GROUP_OPERATIONS = 512;
const MAX_GROUP_BYTES = 4 * 1024 * 1024;

interface Waiting {
  readonly operations: readonly EncodedOperation[];
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** What becomes of a group. Each may throw for the group as a whole. */
export interface GroupSteps {
  /** Writes it at once. */
  write(group: readonly (readonly EncodedOperation[])[]): readonly CommitOutcome[];
  /** Makes what was written durable. */
  flush(): Promise<void>;
}

export class CommitQueue {
  readonly #steps: GroupSteps;
  #waiting: Waiting[] = [];
  /** Written, not durable yet; undefined where nothing is. */
  #flushing:
    | { readonly group: readonly Waiting[]; readonly ended: Promise<void>; keys?: ReadonlySet<string> }
    | undefined;
  #scheduled = false;

  constructor(steps: GroupSteps) {
    this.#steps = steps;
  }

  /** Resolves once no read could see of this record what a crash would take back. Undefined: at once. */
  whenDurable(key?: string): Promise<void> | undefined {
    const flushing = this.#flushing;
    if (flushing === undefined || key === undefined) return flushing?.ended;
    flushing.keys ??= new Set(
      flushing.group.flatMap(({ operations }) => operations.flatMap((each) => ('key' in each ? each.key : []))),
    );
    return flushing.keys.has(key) ? flushing.ended : undefined;
  }

  /**
   * Queues a commit. One whose signal has fired by the time of the flush is left out of it and rejected with `aborted`:
   * the flush is a turn of the event loop away at most, and to listen to a signal costs more than to look at it.
   */
  submit(operations: readonly EncodedOperation[], signal: AbortSignal | undefined): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, signal, resolve, reject });
      this.#schedule();
    });
  }

  /** Writes and flushes everything that waits, without waiting for the turn of the event loop. */
  async drain(): Promise<void> {
    while (this.#flushing !== undefined || this.#waiting.length > 0) {
      if (this.#flushing === undefined) this.#commitNext();
      await this.#flushing?.ended;
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#flushing !== undefined || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#flushing === undefined) this.#commitNext();
      this.#schedule();
    });
  }

  #commitNext(): void {
    this.#dropAborted();
    const group = this.#waiting.splice(0, groupLength(this.#waiting));
    if (group.length === 0) return;
    try {
      const outcomes = this.#steps.write(group.map(({ operations }) => operations));
      this.#flushing = { group, ended: this.#flush(group, outcomes) };
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async #flush(group: readonly Waiting[], outcomes: readonly CommitOutcome[]): Promise<void> {
    try {
      await this.#steps.flush();
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined || outcome instanceof StorageError) reject(outcome);
        else resolve(outcome);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    this.#flushing = undefined;
    this.#schedule();
  }

  #dropAborted(): void {
    if (!this.#waiting.some(isAborted)) return;
    for (const { reject } of this.#waiting.filter(isAborted)) {
      reject(new StorageError('aborted', 'the commit was aborted before it was sent'));
    }
    this.#waiting = this.#waiting.filter((commit) => !isAborted(commit));
  }
}

function isAborted({ signal }: Waiting): boolean {
  return signal?.aborted === true;
}

function groupLength(waiting: readonly Waiting[]): number {
  let operations = 0;
  let bytes = 0;
  for (const [index, commit] of waiting.entries()) {
    operations += commit.operations.length;
    for (const operation of commit.operations) bytes += sizeOf(operation);
    if (index > 0 && (operations > MAX_GROUP_OPERATIONS || bytes > MAX_GROUP_BYTES)) return index;
  }
  return waiting.length;
}
