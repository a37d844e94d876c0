/** How a server child and the bench talk: over the IPC channel of `fork`, a few plain messages. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** What a child may be asked. A collection costs as much as hundreds of logins, so only `rss` makes one. */
type Question = 'cpu' | 'rss' | 'delay' | 'wait' | 'stop';

export interface ServerChild {
  readonly port: number;
  /** User and system time since its start, microseconds: with the collections that its own garbage made it do. */
  cpuMicros(): Promise<number>;
  /** How much later than asked for a timer fired, at the 99th percentile since this was last asked; the first time NaN. Milliseconds. */
  delayMs(): Promise<number>;
  /** Since its start it was ready and had no core, milliseconds: what other work on the machine took. NaN where it is not Linux. */
  waitMs(): Promise<number>;
  /** Resident set after a collection, bytes. */
  rssBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** In the child: says where it listens, answers every question with a number, ends when told. */
export function serveReports(port: number, stop: () => Promise<void>): void {
  process.on('message', (question: Question) => {
    if (question === 'stop') void stop().then(() => process.exit(0));
    else process.send?.(FIGURES[question]());
  });
  process.send?.({ port });
}

const FIGURES = { cpu: cpuMicros, rss: rssBytes, delay: delayMs, wait: waitMs };

function waitMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

const EVERY_MS = 10;
let delays: IntervalHistogram | undefined;

function delayMs(): number {
  const p99 = delays === undefined ? Number.NaN : delays.percentile(99) / 1e6 - EVERY_MS;
  delays ??= monitorEventLoopDelay({ resolution: EVERY_MS });
  delays.enable();
  delays.reset();
  return p99;
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function rssBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

/** In the bench: starts this very bundle once more in another part. */
export async function startChild(script: string, part: string, input: unknown): Promise<ServerChild> {
  const child = fork(script, [part, JSON.stringify(input)], { execArgv: ['--expose-gc'] });
  const { port } = (await nextMessage(child)) as { port: number };
  const ask = async (question: Question) => {
    const answer = nextMessage(child);
    child.send(question);
    return Number(await answer);
  };
  return {
    port,
    cpuMicros: () => ask('cpu'),
    delayMs: () => ask('delay'),
    waitMs: () => ask('wait'),
    rssBytes: () => ask('rss'),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.send('stop' satisfies Question);
      await ended;
    },
  };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a server ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}
