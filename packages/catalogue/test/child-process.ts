/** Starts `child.ts` as a process of its own: bundled first, because the oldest Node we support runs no TypeScript. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const sourceOf = (name: string) => fileURLToPath(new URL(`../../${name}/src/index.ts`, import.meta.url));

const PACKAGES = ['ports', 'testkit', 'storage-memory', 'storage-sqlite', 'storage-files'];

/** The driver is a dependency of another package, and found from there. */
const sqliteDriver: Plugin = {
  name: 'sqlite-driver',
  setup: ({ onResolve }) => {
    const driver = createRequire(sourceOf('storage-sqlite'));
    onResolve({ filter: /^@photostructure\/sqlite$/ }, ({ path }) => ({ path: driver.resolve(path), external: true }));
  },
};

/** Bundles the child into one file beside this package’s dependencies. */
export async function bundleChild(outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('./child.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    alias: Object.fromEntries(PACKAGES.map((name) => [`@postern/${name}`, sourceOf(name)])),
    external: ['web-tree-sitter', 'yauzl', 'pkijs', 'asn1js'],
    plugins: [sqliteDriver],
    treeShaking: true,
    logLevel: 'error',
  });
}

export interface Child {
  /** Whole lines so far. */
  lines(): readonly string[];
  /** Resolves once the child has said this many lines; rejects when it ends before. */
  said(count: number): Promise<void>;
  /** Kills it with SIGKILL and waits until all it said has arrived. */
  kill(): Promise<void>;
}

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
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
