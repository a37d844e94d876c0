/** Bundles the TypeScript of a process that a test starts and kills: the oldest Node we support runs no TypeScript. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { root, sourceAliases } from './workspace.mjs';

/** Says that it is our own plugin that asks. */
const ASKED = Symbol('asked');

/**
 * Packages of the workspace come in from their sources. All others stay outside, each as the file that its importer gets: a
 * dependency of a dependency is not found from where the bundle lies.
 *
 * @type {import('esbuild').Plugin}
 */
const packages = {
  name: 'packages',
  setup: ({ onResolve, resolve }) => {
    const sources = new Map(sourceAliases().map(({ specifier, source }) => [specifier, join(root, source)]));
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === ASKED || kind === 'entry-point') return undefined;
      const source = sources.get(path);
      if (source !== undefined) return { path: source, sideEffects: false };
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: ASKED });
      return found.errors.length > 0 ? { errors: found.errors } : { path: found.path, external: true };
    });
  },
};

/**
 * @param {URL} entry the child's source
 * @param {string} outfile inside the package under test, where whatever it looks up at run time is found
 */
export async function bundleChild(entry, outfile) {
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [packages],
    treeShaking: true,
    logLevel: 'error',
  });
}
