/** How a server child and the bench talk: over the IPC channel of `fork`, a few plain messages. */
import { type ChildProcess, fork } from 'node:child_process';

/** What a child tells of itself. */
export interface ServerReport {
  /** User and system time since its start, microseconds. */
  readonly cpuMicros: number;
  /** Resident set after a collection, bytes. */
  readonly rssBytes: number;
}

export interface ServerChild {
  readonly port: number;
  report(): Promise<ServerReport>;
  stop(): Promise<void>;
}

/** In the child: says where it listens, answers every question with a report, ends when told. */
export function serveReports(port: number, stop: () => Promise<void>): void {
  process.on('message', (question) => {
    if (question === 'stop') {
      void stop().then(() => process.exit(0));
      return;
    }
    globalThis.gc?.();
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system, rssBytes: process.memoryUsage.rss() } satisfies ServerReport);
  });
  process.send?.({ port });
}

/** In the bench: starts this very bundle once more in another part. */
export async function startChild(script: string, part: string, input: unknown): Promise<ServerChild> {
  const child = fork(script, [part, JSON.stringify(input)], { execArgv: ['--expose-gc'] });
  const { port } = (await nextMessage(child)) as { port: number };
  return {
    port,
    async report() {
      const answer = nextMessage(child);
      child.send('report');
      return (await answer) as ServerReport;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.send('stop');
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
