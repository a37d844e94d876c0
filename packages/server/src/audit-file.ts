/** The audit log: JSON lines, appended in order, on the disk before the answer leaves (AUDIT-5, threat of a lost trail). */
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditEvent, AuditSink } from '@postern/ports';

export interface ClosableAuditSink extends AuditSink {
  /**
   * After the file was renamed for rotation: opens one of the old name. Once this resolves nothing more is written to the
   * renamed one, and no event was lost between them. A stream goes on as it is.
   *
   * @throws the error of `open`, and the old file goes on being written: an event in the wrong file is better than none.
   */
  reopen(): Promise<void>;
  /** Waits for events under way. Idempotent. */
  close(): Promise<void>;
}

const OWNER_ONLY = 0o600;

/**
 * Opens the file for appending, creating it readable by its owner alone.
 *
 * Events that arrive while one write is on its way to the disk go together in the next: one synchronisation for all.
 */
export async function openAuditFile(file: string): Promise<ClosableAuditSink> {
  let handle = await open(file, 'a', OWNER_ONLY);
  return createAuditLines({
    append: (lines) => appendDurably(handle, lines),
    async reopen() {
      const next = await open(file, 'a', OWNER_ONLY);
      const old = handle;
      handle = next;
      await old.close();
    },
    release: () => handle.close(),
  });
}

/** The same to a stream: the standard output of a container, whose collector keeps it. */
export function createAuditStream(stream: NodeJS.WritableStream): ClosableAuditSink {
  const append = (lines: string) =>
    new Promise<void>((resolve, reject) => {
      stream.write(lines, (error) => (error ? reject(error) : resolve()));
    });
  return createAuditLines({ append, reopen: async () => undefined, release: async () => undefined });
}

/** Where lines go. No two of its functions ever run at once. */
interface LineTarget {
  /** Writes lines so that they last; rejects when it could not. */
  append(lines: string): Promise<void>;
  reopen(): Promise<void>;
  release(): Promise<void>;
}

function createAuditLines({ append, reopen, release }: LineTarget): ClosableAuditSink {
  let waiting: { line: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let flushing: Promise<void> | undefined;
  let released: Promise<void> | undefined;
  let torn = false;
  let reopenings: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  async function flush(): Promise<void> {
    while (waiting.length > 0 || reopenings.length > 0) {
      const asked = reopenings;
      reopenings = [];
      if (asked.length > 0) {
        try {
          await reopen();
          for (const { resolve } of asked) resolve();
        } catch (error) {
          for (const { reject } of asked) reject(error);
        }
      }
      const group = waiting;
      waiting = [];
      if (group.length === 0) continue;
      try {
        // After a write that failed part of a line may stand there: the next must not run into it.
        await append((torn ? '\n' : '') + group.map(({ line }) => line).join(''));
        torn = false;
        for (const { resolve } of group) resolve();
      } catch (error) {
        torn = true;
        for (const { reject } of group) reject(error);
      }
    }
    flushing = undefined;
  }

  return {
    record(event) {
      if (released !== undefined) throw new Error('the audit log is closed');
      return new Promise((resolve, reject) => {
        waiting.push({ line: auditLine(event), resolve, reject });
        // After this turn of the event loop, so that all its events share a write: logins of one commit end in one turn.
        flushing ??= nextTurn().then(flush);
      });
    },
    async reopen() {
      if (released !== undefined) return;
      await new Promise<void>((resolve, reject) => {
        reopenings.push({ resolve, reject });
        flushing ??= nextTurn().then(flush);
      });
    },
    close() {
      released ??= (flushing ?? Promise.resolve()).then(release);
      return released;
    },
  };
}

function auditLine(event: AuditEvent): string {
  return `${JSON.stringify({ ...event, time: new Date(event.time).toISOString() })}\n`;
}

async function appendDurably(handle: FileHandle, lines: string): Promise<void> {
  await handle.appendFile(lines);
  await handle.datasync();
}
