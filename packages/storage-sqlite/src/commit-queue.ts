/**
 * Group commit: what arrives while the event loop turns is flushed as one transaction, so that many callers share one
 * wait for the disk. Every caller is answered only after the flush.
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

/** Commits a group at once; throws for the group as a whole. */
export type FlushGroup = (group: readonly (readonly EncodedOperation[])[]) => readonly CommitOutcome[];

export class CommitQueue {
  readonly #flushGroup: FlushGroup;
  #waiting: Waiting[] = [];
  #scheduled = false;

  constructor(flushGroup: FlushGroup) {
    this.#flushGroup = flushGroup;
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

  /** Flushes everything that waits, now. */
  drain(): void {
    while (this.#waiting.length > 0) this.#flush();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#waiting.length > 0) this.#flush();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    this.#dropAborted();
    const group = this.#waiting.splice(0, groupLength(this.#waiting));
    if (group.length === 0) return;
    let outcomes: readonly CommitOutcome[];
    try {
      outcomes = this.#flushGroup(group.map(({ operations }) => operations));
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined || outcome instanceof StorageError) reject(outcome);
      else resolve(outcome);
    }
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
