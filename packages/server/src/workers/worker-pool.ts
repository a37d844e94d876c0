/**
 * Several processes that serve one address (WORKERS-1). Node's cluster gives each new connection to the next of them. One that ends is
 * started again, later each time it does not last.
 */
import cluster, { type Worker } from 'node:cluster';
import type { Log, LogFacts } from '../log.js';
import { waitAtMost } from '../repeat.js';
import { type FromWorker, type ToWorker, WORKER_VARIABLE } from './messages.js';

/** Before a worker that ended is started again: doubled from the first to the last while it does not last. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;
const LASTED_MS = 10_000;
/** For figures: what a worker that hangs has counted is left out. */
const FIGURES_MS = 2_000;

export interface WorkerPoolOptions {
  readonly count: number;
  readonly log: Log;
  /** Records events by the sink of that place. */
  readonly record: (message: Extract<FromWorker, { type: 'record' }>) => Promise<void>;
}

export interface WorkerPool {
  /** Those that listen. */
  serving(): number;
  reload(): void;
  /** Of all workers that answer in time. */
  figures(): Promise<readonly (readonly object[])[]>;
  /** Ends all: in order, and after `graceMs` at once. */
  stop(graceMs: number): Promise<void>;
}

/** A worker ended before it listened. It has said why. */
export class WorkerEnded extends Error {
  override readonly name = 'WorkerEnded';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('a worker could not start');
    this.exitCode = exitCode;
  }
}

/**
 * Starts one worker, and when it listens all others: what is made at a first start is made once.
 *
 * @returns the pool, and what the first said of itself.
 * @throws WorkerEnded where one ends before it listens; the others are ended then.
 */
export async function startWorkers(options: WorkerPoolOptions): Promise<{ pool: WorkerPool; facts: LogFacts }> {
  const { count, log, record } = options;
  const workers = new Map<number, { readonly worker: Worker; isListening: boolean }>();
  const ended = new Set<Promise<void>>();
  const figureHandlers = new Map<Worker, (figures: readonly object[] | undefined) => void>();
  let underWay: Promise<readonly (readonly object[])[]> | undefined;
  /** Until all listen, one that ends ends the start. */
  let isStarting = true;
  let isStopping = false;
  let pauses: NodeJS.Timeout[] = [];

  const say = (worker: Worker, message: ToWorker) => {
    if (worker.isConnected()) worker.send(message, () => undefined);
  };

  /** Resolves once it listens. @param pauseMs before it is started again, should it end after that. */
  function start(number: number, pauseMs: number): Promise<LogFacts> {
    const startedAt = performance.now();
    const worker = cluster.fork({ [WORKER_VARIABLE]: String(number) });
    const entry = { worker, isListening: false };
    workers.set(number, entry);
    // A channel that breaks shows as the end of the worker.
    worker.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      // Sent by `workerLink`, which runs the same build.
      worker.on('message', (message: FromWorker) => {
        if (message.type === 'listening') {
          entry.isListening = true;
          resolve(message.facts);
        } else if (message.type === 'figures') {
          figureHandlers.get(worker)?.(message.figures);
        } else {
          const { call } = message;
          record(message).then(
            () => say(worker, { type: 'recorded', call, ok: true }),
            (error: unknown) => say(worker, { type: 'recorded', call, ok: false, code: codeIn(error) }),
          );
        }
      });
      const end = new Promise<void>((done) => {
        worker.once('exit', (code: number | null, signal: string | null) => {
          done();
          ended.delete(end);
          workers.delete(number);
          figureHandlers.get(worker)?.(undefined);
          reject(new WorkerEnded(code ?? 1));
          if (isStarting || isStopping) return;
          const lasted = performance.now() - startedAt > LASTED_MS;
          const nextMs = lasted ? FIRST_PAUSE_MS : pauseMs;
          log('error', 'a worker ended; another is started', {
            worker: number,
            code: code ?? undefined,
            signal: signal ?? undefined,
            retry_after_ms: nextMs,
          });
          restartLater(number, nextMs);
        });
      });
      ended.add(end);
    });
  }

  function restartLater(number: number, pauseMs: number): void {
    const timer = setTimeout(() => {
      pauses = pauses.filter((each) => each !== timer);
      start(number, Math.min(2 * pauseMs, LAST_PAUSE_MS)).then(
        () => log('info', 'a worker serves again', { worker: number }),
        () => undefined,
      );
    }, pauseMs);
    pauses.push(timer);
  }

  async function stop(graceMs: number): Promise<void> {
    isStopping = true;
    for (const timer of pauses) clearTimeout(timer);
    for (const { worker, isListening } of workers.values()) {
      // One that does not listen yet has nothing to end, and may not hear.
      if (isListening) say(worker, { type: 'stop' });
      else worker.process.kill('SIGTERM');
    }
    await waitAtMost(graceMs, Promise.all(ended));
    for (const { worker } of workers.values()) worker.process.kill('SIGKILL');
    await Promise.all(ended);
  }

  async function askFigures(): Promise<readonly (readonly object[])[]> {
    const all: (readonly object[])[] = [];
    const asked = [...workers.values()].map(
      ({ worker }) =>
        new Promise<void>((resolve) => {
          figureHandlers.set(worker, (figures) => {
            if (figures !== undefined) all.push(figures);
            resolve();
          });
          say(worker, { type: 'figures' });
        }),
    );
    await waitAtMost(FIGURES_MS, Promise.all(asked));
    figureHandlers.clear();
    return all;
  }

  let facts: LogFacts;
  try {
    facts = await start(1, FIRST_PAUSE_MS);
    await Promise.all(Array.from({ length: count - 1 }, (_, at) => start(at + 2, FIRST_PAUSE_MS)));
  } catch (error) {
    await stop(0);
    throw error;
  }
  isStarting = false;
  for (let number = 1; number <= count; number += 1) if (!workers.has(number)) restartLater(number, FIRST_PAUSE_MS);
  return {
    facts,
    pool: {
      serving: () => [...workers.values()].filter(({ isListening }) => isListening).length,
      reload: () => {
        for (const { worker } of workers.values()) say(worker, { type: 'reload' });
      },
      figures() {
        underWay ??= askFigures().finally(() => {
          underWay = undefined;
        });
        return underWay;
      },
      stop,
    },
  };
}

function codeIn(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
