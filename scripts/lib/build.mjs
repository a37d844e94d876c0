/** Builds the JavaScript of every package when a source has changed since the last build. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from './child.mjs';
import { publishedPackages, root, toolEntry } from './workspace.mjs';

const MARKER = join(root, 'node_modules/.postern-built');
const CONFIGURATION = ['tsup.config.ts', 'tsconfig.base.json', 'scripts/lib/workspace.mjs', 'pnpm-lock.yaml'];

/**
 * @param {{ always?: boolean }} [options]
 * @returns {Promise<number>} exit code: 0 when every entry's JavaScript is there and newer than its sources
 */
export async function build({ always = false } = {}) {
  const packages = publishedPackages();
  const outputs = packages.flatMap(({ folder, entries }) => entries.map(({ output }) => `${folder}/dist/${output}.js`));
  const wanted = fingerprint(packages.map(({ folder }) => folder));
  const current = existsSync(MARKER) && readFileSync(MARKER, 'utf8') === wanted;
  if (!always && current && outputs.every((file) => existsSync(join(root, file)))) return 0;

  const started = Date.now();
  console.error(`postern: building ${packages.length} packages …`);
  const { code, output } = await capture(process.execPath, [toolEntry('tsup', 'tsup')]);
  if (code !== 0) {
    console.error(output);
    console.error(`postern: the build failed (exit code ${code}).`);
    return code;
  }
  for (const { folder } of packages) prune(join(root, folder), started);
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(MARKER, wanted);
  console.error(`postern: built (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return 0;
}

/**
 * What a build depends on, by name, size and time of change; a file that was deleted changes it too.
 *
 * @param {string[]} folders
 */
function fingerprint(folders) {
  const files = [
    ...CONFIGURATION,
    ...folders.flatMap((folder) => [`${folder}/package.json`, ...sourcesBelow(`${folder}/src`)]),
  ];
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** @param {string} folder relative to the root @returns {string[]} sources that reach a build, sorted */
function sourcesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .sort();
}

/**
 * Removes from `dist` what no source stands behind any longer, so that it cannot be published: JavaScript that this build
 * did not write, declarations whose source is gone.
 *
 * @param {string} folder the package @param {number} builtSince epoch milliseconds
 */
function prune(folder, builtSince) {
  const dist = join(folder, 'dist');
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const stem = file.slice(dist.length + 1).replace(/\.d\.ts(\.map)?$/, '');
    const isScript = /\.js(\.map)?$/.test(file);
    const isDeclaration = /\.d\.ts(\.map)?$/.test(file);
    // One second of tolerance: a file system may round times.
    const staleScript = isScript && statSync(file).mtimeMs < builtSince - 1000;
    const staleDeclaration = isDeclaration && !existsSync(join(folder, 'src', `${stem}.ts`));
    if (staleScript || staleDeclaration) rmSync(file);
  }
}
