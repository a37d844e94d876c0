/** The audit log: JSON lines, appended in order, on the disk before the answer leaves (decision K6, threat of a lost trail). */
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditEvent, AuditSink } from '@postern/ports';

export interface ClosableAuditSink extends AuditSink {
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
  const handle = await open(file, 'a', OWNER_ONLY);
  return createAuditLines(
    (lines) => appendDurably(handle, lines),
    () => handle.close(),
  );
}

/** The same to a stream: the standard output of a container, whose collector keeps it. */
export function createAuditStream(stream: NodeJS.WritableStream): ClosableAuditSink {
  const append = (lines: string) =>
    new Promise<void>((resolve, reject) => {
      stream.write(lines, (error) => (error ? reject(error) : resolve()));
    });
  return createAuditLines(append, async () => undefined);
}

/** @param append writes lines so that they last; rejects when it could not. Never called twice at once. */
function createAuditLines(append: (lines: string) => Promise<void>, release: () => Promise<void>): ClosableAuditSink {
  let waiting: { line: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let flushing: Promise<void> | undefined;
  let released: Promise<void> | undefined;
  let torn = false;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
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
