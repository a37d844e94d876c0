/** The commands behind the scripts of the root package.json: what each needs first, and what it runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runBenchmarks } from './bench.mjs';
import { build } from './build.mjs';
import { run } from './child.mjs';
import { install } from './install.mjs';
import { publishedPackages, root, toolEntry } from './workspace.mjs';

/** @typedef {(args: string[]) => Promise<number>} Command Resolves to the exit code. */

/** @type {Record<string, Command>} */
const COMMANDS = {
  // The server's kill -9 and command line tests start the built command, so every suite builds first.
  test: async (args) => (await build()) || vitest([], args),
  interop: async (args) => (await build()) || vitest(['--config', 'vitest.interop.config.ts'], args),
  'upgrade-drill': async (args) =>
    (await build()) || vitest(['--config', 'vitest.interop.config.ts', 'interop/upgrade'], args),
  soak: async (args) => (await build()) || soak(args),
  chaos: async (args) => (await build()) || vitest(['--config', 'vitest.chaos.config.ts'], args),
  bench: async (args) => (await build()) || runBenchmarks(args),
  conformance: async (args) => (await build()) || run(process.execPath, [join(root, 'conformance/run.mjs'), ...args]),
  build: async () => (await build({ always: true })) || declarations(),
  check: async (args) => run(process.execPath, [join(root, 'scripts/check.mjs'), ...args]),
  docs: async (args) => run(process.execPath, [join(root, 'docs/site.mjs'), ...args]),
  changeset: async (args) => run(process.execPath, [toolEntry('@changesets/cli', 'changeset'), ...args]),
  changelog: async (args) => run(process.execPath, [join(root, 'scripts/changelog.mjs'), ...args]),
  sbom: async (args) => run(process.execPath, [join(root, 'scripts/sbom.mjs'), ...args]),
  start: async (args) => (await build()) || sandbox(args),
};

/**
 * @param {string | undefined} name
 * @param {string[]} args passed on to what the command runs
 * @returns {Promise<number>} the exit code
 */
export async function runCommand(name, args) {
  const command = COMMANDS[name ?? ''];
  if (command === undefined) {
    console.error(`usage: node scripts/run.mjs ${Object.keys(COMMANDS).sort().join('|')} [arguments]`);
    return 2;
  }
  return (await install()) || command(args);
}

/** Types of every package, beside its JavaScript: without them a package could be packed, and would be of no use to TypeScript. */
function declarations() {
  const folders = publishedPackages().map(({ folder }) => folder);
  return run(process.execPath, [toolEntry('typescript-native', 'tsc'), '-b', ...folders]);
}

/** @param {string[]} options @param {string[]} args */
function vitest(options, args) {
  return run(process.execPath, [toolEntry('vitest', 'vitest'), 'run', ...options, ...args]);
}

/** Bundled, for the oldest Node that we support runs no TypeScript. @param {string[]} args */
async function soak(args) {
  const { bundleChild } = await import('./bundle-child.mjs');
  const script = join(root, 'interop/dist/soak.mjs');
  await bundleChild(new URL('../../interop/soak/main.ts', import.meta.url), script);
  return run(process.execPath, [script, ...args]);
}

/** @param {string[]} args */
async function sandbox(args) {
  const command = join(root, 'packages/cli/dist/cli.js');
  if (!existsSync(command)) {
    console.error('postern: packages/server has no command (packages/cli/src/cli.ts) to start.');
    return 1;
  }
  return run(process.execPath, [command, 'sandbox', '--data', './postern-data', ...args]);
}
