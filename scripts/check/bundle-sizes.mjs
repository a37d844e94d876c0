/**
 * What an import loads: bundled from the sources, minified, gzipped. What comes by dynamic import is counted apart.
 * Fails where a limit is exceeded.
 */
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root, sourceAliases } from '../lib/workspace.mjs';

/** Limits in units of 1,000 bytes. */
const ENTRIES = [
  { name: 'createAuthMethod', from: '@postern/core-auth', limit: 120 },
  { name: 'isAuthError', from: '@postern/core-auth', limit: 5 },
  { name: 'isAuthError', from: '@postern/core-auth/errors', limit: 5 },
  { name: 'createAuthApp', from: '@postern/http/auth', limit: 80 },
];

const OUT = join(root, 'node_modules/.cache/bundle-sizes');
const RESOLVED = Symbol('resolved');

/**
 * Packages of the workspace come from their sources, which are free of side effects as their manifests say.
 *
 * @type {import('esbuild').Plugin}
 */
const sources = {
  name: 'sources',
  setup: ({ onResolve, resolve }) => {
    const aliases = new Map(sourceAliases().map(({ specifier, source }) => [specifier, join(root, source)]));
    onResolve({ filter: /^(@postern\/|\.)/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === RESOLVED) return undefined;
      const source = aliases.get(path);
      if (source !== undefined) return { path: source, sideEffects: false };
      if (resolveDir.includes('node_modules')) return undefined;
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: RESOLVED });
      return { path: found.path, errors: found.errors, sideEffects: false };
    });
  },
};

/** @param {{ name: string, from: string }} entry @returns {Promise<{ first: number, later: number }>} gzipped bytes */
async function measure({ name, from }) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export { ${name} } from '${from}';`, resolveDir: root },
    absWorkingDir: root,
    outdir: OUT,
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    plugins: [sources],
    logLevel: 'error',
  });
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => [relative(root, path).replaceAll('\\', '/'), gzipSync(contents).length]),
  );
  const loaded = new Set(Object.keys(metafile.outputs).filter((file) => file.endsWith('/stdin.js')));
  if (loaded.size !== 1) throw new Error(`${from}: no bundle of ${name}`);
  // A set that grows while it is walked: chunks that chunks import.
  for (const file of loaded) {
    for (const { path, kind } of metafile.outputs[file]?.imports ?? []) {
      if (kind === 'import-statement') loaded.add(path);
    }
  }
  let first = 0;
  let later = 0;
  for (const [file, size] of sizes) {
    if (loaded.has(file)) first += size;
    else later += size;
  }
  return { first, later };
}

/** @param {number} bytes */
const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(7);

console.log('  at once    later   limit  (KB, gzipped)');
for (const entry of ENTRIES) {
  const { first, later } = await measure(entry);
  const over = first > entry.limit * 1000;
  console.log(
    `${kilobytes(first)}  ${kilobytes(later)}  ${String(entry.limit).padStart(6)}  ${entry.name} of ${entry.from}${over ? ': over its limit' : ''}`,
  );
  if (over) process.exitCode = 1;
}
