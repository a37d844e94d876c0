/**
 * Reads uploads in a thread of its own (PUBLISH-7): whatever one costs, the requests of this thread go on. The thread is
 * ended at its limit of time or memory, and its memory with it; the next upload starts another. Descriptors of files are
 * shared between threads, so the opener gets them back only after the thread has answered or is gone.
 */
import { Worker } from 'node:worker_threads';
import { ModuleArchiveError, type ModuleArchiveErrorCode, ProviderError } from '@postern/ports';
import { refusal } from '../archive/refuse.js';
import type { ThreadAnswer, ThreadFailure } from '../reader-thread.js';
import { inThreadReader, type ModuleReader, type ReadUpload, type UploadToRead } from './module-reader.js';

export interface ThreadReaderOptions {
  /** For one upload. Default 30,000. */
  readonly maxReadMs?: number | undefined;
  /** The thread's heap, without the parser's 160 MiB and the 64 KiB buffers of files. Default 256. */
  readonly maxHeapMiB?: number | undefined;
  /** Uploads that wait for the thread; more are refused for now. Default 32. */
  readonly maxWaiting?: number | undefined;
  /** How long a thread without work is kept, since starting one takes some 60 ms. Default 10,000. */
  readonly idleMs?: number | undefined;
  /** The thread's file. Default: `reader-thread.js` of this package; name it where a bundler moved it. */
  readonly entry?: URL | undefined;
}

export interface ThreadReader extends ModuleReader {
  /** Ends the thread; what it reads fails as `unavailable`. Idempotent. */
  close(): Promise<void>;
}

/** Beside this file once it is built. Sources run in tests only, and Node 20 starts no thread from TypeScript. */
const BUILT = import.meta.url.endsWith('.ts') ? undefined : new URL('./reader-thread.js', import.meta.url);

/** @returns a reader for `createHostedCatalogue`, to be closed with it. */
export function createThreadReader(options: ThreadReaderOptions = {}): ThreadReader {
  const { maxReadMs = 30_000, maxHeapMiB = 256, maxWaiting = 32, idleMs = 10_000, entry = BUILT } = options;
  if (entry === undefined) return { ...inThreadReader, close: async () => undefined };
  const file = entry;
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isClosed = false;

  const end = async () => {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    // Resolves when the thread's last use of a file is over.
    await ended?.terminate();
  };

  async function readNext(upload: UploadToRead, signal: AbortSignal | undefined): Promise<ReadUpload> {
    signal?.throwIfAborted();
    if (isClosed) throw new ProviderError('unavailable', 'the catalogue is closed');
    clearTimeout(idle);
    if (thread === undefined) {
      const started = start(file, maxHeapMiB);
      thread = started.once('exit', () => {
        if (thread === started) thread = undefined;
      });
    }
    thread.ref();
    let isSpent = true;
    try {
      const answer = await ask(thread, upload, maxReadMs, signal);
      isSpent = answer.isSpent;
      if ('read' in answer) return answer.read;
      throw errorOf(answer.failure);
    } finally {
      if (isSpent) await end();
      else {
        thread?.unref();
        idle = setTimeout(() => void end(), idleMs);
        idle.unref();
      }
    }
  }

  return {
    read: (upload, signal) => {
      if (waiting > maxWaiting) {
        const message = 'too many uploads are waiting to be read';
        return Promise.reject(new ProviderError('unavailable', message, { retryAfterSeconds: 5 }));
      }
      waiting += 1;
      const reading = turn
        .then(() => readNext(upload, signal))
        .finally(() => {
          waiting -= 1;
        });
      turn = reading.catch(() => undefined);
      return reading;
    },
    close: async () => {
      isClosed = true;
      await end();
    },
  };
}

function start(entry: URL, maxHeapMiB: number): Worker {
  const thread = new Worker(entry, {
    // Of the process's environment, secrets included, it needs nothing.
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB, maxYoungGenerationSizeMb: 32 },
  });
  // An error of the thread without a listener would end the process; its exit follows.
  return thread.on('error', () => undefined);
}

/** One question at a time. @throws ModuleArchiveError, ProviderError, the signal's reason; then the thread is to be ended. */
function ask(
  thread: Worker,
  upload: UploadToRead,
  maxReadMs: number,
  signal: AbortSignal | undefined,
): Promise<ThreadAnswer> {
  const stops: (() => void)[] = [];
  const answered = new Promise<ThreadAnswer>((resolve, reject) => {
    const onError = (error: unknown) => reject(errorOfThread(error));
    const onExit = () => reject(new ProviderError('unavailable', 'the thread that reads uploads ended'));
    const onAbort = () => reject(signal?.reason);
    const timer = setTimeout(() => reject(tooDear('takes too long')), maxReadMs);
    thread.once('message', resolve).once('error', onError).once('exit', onExit);
    signal?.addEventListener('abort', onAbort, { once: true });
    stops.push(() => {
      clearTimeout(timer);
      thread.off('message', resolve).off('error', onError).off('exit', onExit);
      signal?.removeEventListener('abort', onAbort);
    });
    thread.postMessage(upload);
  });
  return answered.finally(() => {
    for (const stop of stops) stop();
  });
}

function errorOfThread(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return tooDear('needs too much memory');
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') {
    const message =
      'the file of the thread that reads uploads, reader-thread.js, was not found: keep it with the package';
    return new ProviderError('misconfigured', message, { cause: error });
  }
  return new ProviderError('unavailable', 'the thread that reads uploads failed', { cause: error });
}

function errorOf({ kind, code, message, place }: ThreadFailure): Error {
  if (kind === 'memory') return tooDear('needs too much memory');
  // Codes of the two classes, which the thread's failure names by its kind.
  if (kind === 'archive') return new ModuleArchiveError(code as ModuleArchiveErrorCode, message, place && { place });
  return new ProviderError(code === 'misconfigured' ? 'misconfigured' : 'unavailable', message);
}

const tooDear = (why: string) => refusal('module_too_large', `the module ${why} to read: nest less, or split it`);
