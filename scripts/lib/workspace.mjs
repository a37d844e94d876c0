/**
 * What the workspace consists of, read from its folders: a new package is picked up by every tool without editing a list.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/**
 * @typedef {object} Manifest The fields of a package.json that the tools read.
 * @property {string} name
 * @property {string} version
 * @property {string} [description]
 * @property {boolean} [private]
 * @property {string[]} [files]
 * @property {Record<string, { types: string, default: string }>} [exports]
 * @property {Record<string, string>} [bin]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 *
 * @typedef {object} Entry One file that others import or run: `import '@postern/ports'` or the `postern` command.
 * @property {string} specifier What is written in an import; empty for a command.
 * @property {string} output Relative to the package's folder, without extension: `dist/index` gives `index`.
 * @property {string} source Relative to the root: `packages/ports/src/index.ts`.
 *
 * @typedef {object} Package
 * @property {string} folder Relative to the root, with forward slashes: `packages/ports`.
 * @property {Manifest} manifest
 * @property {Entry[]} entries Those whose source exists.
 */

/** @param {string} folder @returns {string[]} folders inside it that hold a package, sorted */
function packageFolders(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, folder, entry.name, 'package.json')))
    .map((entry) => `${folder}/${entry.name}`)
    .sort();
}

/** @param {string} folder @returns {Package} */
function readPackage(folder) {
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  /** @type {Entry[]} */
  const entries = [];
  for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
    entries.push(entryOf(folder, manifest.name + subpath.slice(1), target.default));
  }
  for (const target of Object.values(manifest.bin ?? {})) entries.push(entryOf(folder, '', target));
  return { folder, manifest, entries: entries.filter((entry) => existsSync(join(root, entry.source))) };
}

/** @param {string} folder @param {string} specifier @param {string} target `./dist/index.js` @returns {Entry} */
function entryOf(folder, specifier, target) {
  const match = /^\.\/(?:dist|src)\/(.+)\.[jt]s$/.exec(target);
  if (match?.[1] === undefined) throw new Error(`${folder}/package.json: ${target} is not a file of dist or src`);
  return { specifier, output: match[1], source: `${folder}/src/${match[1]}.ts` };
}

/** @returns {Package[]} the published packages, sorted by folder */
export function publishedPackages() {
  const single = ['conformance'].filter((folder) => existsSync(join(root, folder, 'package.json')));
  return [...single, ...packageFolders('packages')].map(readPackage);
}

/** @returns {Package[]} every package of the workspace, the private ones (examples, bench, docs, internal, interop) included */
export function workspacePackages() {
  const single = ['bench', 'docs', 'internal', 'interop'].filter((folder) =>
    existsSync(join(root, folder, 'package.json')),
  );
  return [...publishedPackages(), ...[...packageFolders('examples'), ...single].map(readPackage)];
}

/**
 * Import names to source files, so that tests, types and import rules see the sources and need no build.
 *
 * @returns {{ specifier: string, source: string }[]} longest specifier first
 */
export function sourceAliases() {
  return workspacePackages()
    .flatMap((each) => each.entries)
    .filter((entry) => entry.specifier !== '')
    .map(({ specifier, source }) => ({ specifier, source }))
    .sort((a, b) => b.specifier.length - a.specifier.length);
}

/**
 * The script behind a tool's command, to be run with the very Node that runs this.
 *
 * @param {string} packageName @param {string} command
 */
export function toolEntry(packageName, command) {
  const manifestFile = manifestOf(packageName);
  const { bin } = JSON.parse(readFileSync(manifestFile, 'utf8'));
  return join(dirname(manifestFile), typeof bin === 'string' ? bin : bin[command]);
}

/** @param {string} packageName */
function manifestOf(packageName) {
  const direct = join(root, 'node_modules', packageName, 'package.json');
  return existsSync(direct) ? direct : createRequire(import.meta.url).resolve(`${packageName}/package.json`);
}
