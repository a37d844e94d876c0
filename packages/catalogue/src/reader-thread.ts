/**
 * What runs in the thread of `createThreadReader`: reads one upload after another. An entry of its own, because a thread
 * begins with a file.
 */
import { setPriority } from 'node:os';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { isModuleArchiveError, isProviderError } from '@postern/ports';
import { type ReadUpload, readUpload, type UploadToRead } from './module/module-reader.js';
import type { ParserMemory } from './module/parser-memory.js';

/** What the thread answers to each `UploadToRead`. */
export type ThreadAnswer = {
  /** The thread holds more memory than the next upload should find taken. */
  readonly isSpent: boolean;
} & ({ readonly read: ReadUpload } | { readonly failure: ThreadFailure });

/** An error as it crosses the threads: classes do not. */
export interface ThreadFailure {
  readonly kind: 'archive' | 'provider' | 'memory';
  readonly code: string;
  readonly message: string;
  readonly place?: { readonly path: string; readonly line: number | undefined } | undefined;
}

const PAGE_BYTES = 64 * 1024;
/** The parser's; the greatest file that is taken, of expressions alone, needs 117 MiB. */
const MAX_PARSER_PAGES = (160 * 1024 * 1024) / PAGE_BYTES;
const SPENT_PARSER_BYTES = 64 * 1024 * 1024;

// Imported by anything but a thread, it does nothing.
if (parentPort !== null) answerUploads(parentPort);

/** Answers each `UploadToRead` that comes through a port, with a `ThreadAnswer`. For the thread's whole life. */
export function answerUploads(port: MessagePort): void {
  const parserMemory = new WebAssembly.Memory({ initial: 512, maximum: MAX_PARSER_PAGES });
  // On Linux the priority of the calling thread, elsewhere that of the whole process: logins come first.
  if (process.platform === 'linux') setPriority(10);
  port.on('message', (upload: UploadToRead) => {
    void answerTo(upload, parserMemory).then((answer) => port.postMessage(answer));
  });
}

async function answerTo(upload: UploadToRead, parserMemory: ParserMemory): Promise<ThreadAnswer> {
  try {
    const read = await readUpload(upload, undefined, parserMemory);
    return { isSpent: parserMemory.buffer.byteLength > SPENT_PARSER_BYTES, read };
  } catch (error) {
    const failure = failureOf(error);
    return { isSpent: failure.kind !== 'archive' || parserMemory.buffer.byteLength > SPENT_PARSER_BYTES, failure };
  }
}

function failureOf(error: unknown): ThreadFailure {
  if (isModuleArchiveError(error)) {
    const { code, message, place } = error;
    return { kind: 'archive', code, message, place };
  }
  if (isProviderError(error)) return { kind: 'provider', code: error.code, message: error.message };
  // The parser's, which has no more to give. Its error names nothing that a publisher or an operator could use.
  if (error instanceof WebAssembly.RuntimeError) return { kind: 'memory', code: '', message: '' };
  return { kind: 'provider', code: 'unavailable', message: 'The upload could not be read.' };
}
