/** A `postern serve` that can be killed, started, and lied to about the time. It is started again where it ends by itself. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type PosternProcess, startPostern } from '@postern/internal';
import { type Disk, mountDisk } from '../disk.js';

const READY_EVERY_MS = 100;
/** As a service manager does it. */
const RESTART_MS = 1_000;
const LIBRARY = fileURLToPath(new URL('../../scripts/interop/setup-faketime.sh', import.meta.url));

export interface ChaosNode {
  readonly url: string;
  /** Of the process that runs now. */
  pid(): number | undefined;
  readonly auditFile: string;
  readonly auditDisk: Disk;
  /** Of every process so far. */
  stderr(): string;
  start(): void;
  kill(): Promise<void>;
  /** Moves its clock, of a process that runs within a second. */
  setClock(aheadSeconds: number): void;
  isReady(): Promise<boolean>;
  /** When it was killed, milliseconds of `performance.now()`. */
  readonly kills: readonly number[];
  /** How often it ended though nobody killed it. */
  endedByItself(): number;
  /** In order. @returns the exit code. */
  stop(): Promise<number | null>;
}

export interface NodeOptions {
  readonly folder: string;
  readonly name: string;
  readonly port: number;
  /** Members of the configuration beside `listen` and `audit`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Beside the environment of this process. */
  readonly environment: Readonly<Record<string, string>>;
}

export function createNode({ folder, name, port, config, ...options }: NodeOptions): ChaosNode {
  const auditDisk = mountDisk(join(folder, `${name}-audit`), '64m');
  const auditFile = join(auditDisk.folder, 'audit.log');
  const configFile = join(folder, `${name}.json`);
  const clockFile = join(folder, `${name}.clock`);
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(configFile, JSON.stringify({ listen: { port }, audit: { file: auditFile }, ...config }));
  const environment = {
    ...options.environment,
    LD_PRELOAD: execFileSync(LIBRARY, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim(),
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  let process: PosternProcess | undefined;
  let said = '';
  let selfEnded = 0;
  const kills: number[] = [];

  const setClock = (aheadSeconds: number) => writeFileSync(clockFile, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}`);
  setClock(0);

  function start(): void {
    const started = startPostern(['serve', '--config', configFile], { environment });
    process = started;
    void started.ended.then(async () => {
      said += started.stderr();
      if (process !== started) return;
      // One that finds no database for 30 seconds ends; one that has listened must not.
      if (started.stderr().includes('"message":"listening"')) selfEnded += 1;
      await sleep(RESTART_MS);
      if (process === started) start();
    });
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const running = process;
    process = undefined;
    running?.signal(signal);
    return (await running?.ended) ?? null;
  }

  return {
    url,
    pid: () => process?.pid,
    auditFile,
    auditDisk,
    stderr: () => said + (process?.stderr() ?? ''),
    start,
    kills,
    async kill() {
      kills.push(performance.now());
      await end('SIGKILL');
    },
    setClock,
    isReady: () => isReady(url),
    endedByItself: () => selfEnded,
    stop: () => end('SIGTERM'),
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** @throws Error with what the nodes said where one is not ready in time. */
export async function untilReady(nodes: readonly ChaosNode[], withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    if ((await Promise.all(nodes.map((node) => node.isReady()))).every((ready) => ready)) return;
    if (performance.now() > deadline) {
      throw new Error(
        `not ready after ${withinMs} ms:\n${nodes.map((node) => node.stderr().slice(-3_000)).join('\n')}`,
      );
    }
    await sleep(READY_EVERY_MS);
  }
}
