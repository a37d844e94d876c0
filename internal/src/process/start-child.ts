/** A process that a test starts, listens to and kills: what it acknowledged in a line before it died must stand afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How often to look for further lines. Milliseconds. */
const POLL_MS = 5;

export interface Child {
  /** Whole lines of its standard output so far; a last one without its line end is none. */
  lines(): readonly string[];
  /**
   * Resolves once the child has said this many lines.
   *
   * @throws Error when it ends before that.
   */
  said(count: number): Promise<void>;
  /** Kills it with SIGKILL and waits until all it said has arrived. Resolves at once where it has ended already. */
  kill(): Promise<void>;
}

/**
 * Starts a script with this very Node. Its standard error output is ours.
 *
 * @param script path of a JavaScript file. It should write each line at once (`writeSync`), or a line that it was killed
 *   before writing would be one that it takes for acknowledged.
 * @example
 * ```ts
 * const child = startChild('./load.mjs', [file]); // opens the storage and calls runCrashLoad
 * await child.said(10);
 * await child.kill();
 * await checkCrashLoad(await openMyStorage(file), child.lines());
 * ```
 */
export function startChild(script: string, args: readonly string[]): Child {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let output = '';
  let ended = false;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.once('close', () => {
    ended = true;
  });
  const lines = () => output.split('\n').slice(0, -1);
  return {
    lines,
    said: async (count) => {
      while (lines().length < count) {
        if (ended) throw new Error(`The child ended after ${lines().length} lines.`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
