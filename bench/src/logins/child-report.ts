/** How a server child and the bench talk: over the IPC channel of `fork`, a few plain messages. */
import { type ChildProcess, fork } from 'node:child_process';

/** What a child may be asked. A collection costs as much as hundreds of logins, so only `rss` makes one. */
type Question = 'cpu' | 'rss' | 'stop';

export interface ServerChild {
  readonly port: number;
  /** User and system time since its start, microseconds: with the collections that its own garbage made it do. */
  cpuMicros(): Promise<number>;
  /** Resident set after a collection, bytes. */
  rssBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** In the child: says where it listens, answers every question with a number, ends when told. */
export function serveReports(port: number, stop: () => Promise<void>): void {
  process.on('message', (question: Question) => {
    if (question === 'stop') void stop().then(() => process.exit(0));
    else process.send?.(question === 'cpu' ? cpuMicros() : rssBytes());
  });
  process.send?.({ port });
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
