/** Events as lines to one target, in order, chained, together where they come together. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditEvent, AuditSink } from '@postern/ports';
import { CHAIN_START, type ChainEnd, chainLine } from './hash-chain.js';

export interface ClosableAuditSink extends AuditSink {
  /** Names it in log, metrics and health. */
  readonly name: string;
  recordAll(events: readonly AuditEvent[], texts?: readonly string[]): Promise<void>;
  /**
   * After the file was renamed for rotation: opens one of the old name. Once this resolves nothing more is written to the
   * renamed one, and no event was lost between them. Other sinks go on as they are.
   *
   * @throws the error of `open`, and the old file goes on being written: an event in the wrong file is better than none.
   */
  reopen(): Promise<void>;
  /** Waits for events under way. Idempotent. */
  close(): Promise<void>;
}

/** Where lines go. No two of its functions ever run at once. */
export interface LineTarget {
  readonly name: string;
  /** Where the chain stood when the target was opened. */
  readonly chainEnd?: ChainEnd;
  /** Ids of events that stand there already: they came again, and are not written again (AUDIT-6). */
  readonly known?: ReadonlySet<string>;
  /** Writes lines so that they last; rejects when it could not. */
  append(lines: string): Promise<void>;
  reopen?(): Promise<void>;
  release?(): Promise<void>;
}

interface Waiting {
  readonly events: readonly AuditEvent[];
  readonly texts: readonly string[] | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function createAuditLines(target: LineTarget): ClosableAuditSink {
  const { known } = target;
  let end = target.chainEnd ?? CHAIN_START;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let released: Promise<void> | undefined;
  let reopenings: Pick<Waiting, 'resolve' | 'reject'>[] = [];

  async function reopenAll(): Promise<void> {
    const asked = reopenings;
    reopenings = [];
    if (asked.length === 0) return;
    try {
      await target.reopen?.();
      for (const { resolve } of asked) resolve();
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  async function writeAll(): Promise<void> {
    const group = waiting;
    waiting = [];
    let lines = '';
    let next = end;
    for (const { events, texts } of group) {
      for (const [at, event] of events.entries()) {
        if (known?.has(event.id) === true) continue;
        const chained = chainLine(event, next, texts?.[at]);
        lines += `${chained.line}\n`;
        next = chained.end;
      }
    }
    try {
      if (lines !== '') await target.append(lines);
      end = next;
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0 || reopenings.length > 0) {
      await reopenAll();
      if (waiting.length > 0) await writeAll();
    }
    flushing = undefined;
  }

  async function recordAll(events: readonly AuditEvent[], texts?: readonly string[]): Promise<void> {
    if (released !== undefined) throw new Error('the audit log is closed');
    await new Promise<void>((resolve, reject) => {
      waiting.push({ events, texts, resolve, reject });
      // After this turn of the event loop, so that all its events share a write: logins of one commit end in one turn.
      flushing ??= nextTurn().then(flush);
    });
  }

  return {
    name: target.name,
    recordAll,
    record: (event) => recordAll([event]),
    async reopen() {
      if (released !== undefined || target.reopen === undefined) return;
      await new Promise<void>((resolve, reject) => {
        reopenings.push({ resolve, reject });
        flushing ??= nextTurn().then(flush);
      });
    },
    close() {
      released ??= (flushing ?? Promise.resolve()).then(() => target.release?.());
      return released;
    },
  };
}
