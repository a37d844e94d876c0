/** The built `postern` command as a child process, driven as an operator would. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const STARTED_WITHIN_MS = 15_000;

export interface PosternProcess {
  readonly pid: number;
  /** All that came so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit code, or null where a signal ended it. */
  readonly ended: Promise<number | null>;
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGHUP'): void;
}

export interface ServingPostern extends PosternProcess {
  readonly url: string;
  /** The root token that this start printed, where it was the first. */
  readonly rootToken: string | undefined;
}

/** Where the build puts the command: the folder of the repository, wherever this file is bundled to. */
function commandFile(): string {
  for (let folder = new URL('.', import.meta.url); folder.pathname !== '/'; folder = new URL('..', folder)) {
    if (!existsSync(new URL('pnpm-workspace.yaml', folder))) continue;
    const file = fileURLToPath(new URL('packages/cli/dist/cli.js', folder));
    if (existsSync(file)) return file;
    throw new Error(`${file} is missing: build first (npm run build)`);
  }
  throw new Error('the repository was not found');
}

export interface StartOptions {
  readonly cwd?: string;
  /** Beside the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What it finds on its standard input. Default: nothing. */
  readonly input?: string;
  /** The file of the command. Default: that of this checkout, as built. */
  readonly command?: string;
}

export function startPostern(args: readonly string[], options: StartOptions = {}): PosternProcess {
  const { command = commandFile() } = options;
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(process.execPath, [command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  // A command that does not read its input may be gone before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    // `close`, not `exit`: by then everything it printed has arrived.
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code))),
    signal: (name) => {
      child.kill(name);
    },
  };
}

/** Starts `postern serve` and waits until it listens. @throws Error with what it printed when it does not. */
export async function servePostern(configFile: string, options: StartOptions = {}): Promise<ServingPostern> {
  const started = startPostern(['serve', '--config', configFile], options);
  let ended = false;
  void started.ended.then(() => {
    ended = true;
  });
  const deadline = performance.now() + STARTED_WITHIN_MS;
  for (;;) {
    const url = /"message":"listening","url":"([^"]+)"/.exec(started.stderr())?.[1];
    if (url !== undefined) return { ...started, url, rootToken: rootTokenIn(started.stderr()) };
    if (ended || performance.now() > deadline) {
      started.signal('SIGKILL');
      throw new Error(`postern serve did not start:\n${started.stderr()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The root token in what a first start printed on its standard error. */
export function rootTokenIn(text: string): string | undefined {
  return /=== Root token[^\n]*\n {2}(\S+)\n/.exec(text)?.[1];
}
