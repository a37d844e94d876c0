/** Packs every published package as it would be published, and judges each tarball: contents, publint, attw. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { capture, pnpm } from '../lib/child.mjs';
import { publishedPackages, root, toolEntry } from '../lib/workspace.mjs';

/**
 * @typedef {object} Packed
 * @property {string} folder where the tarballs are
 * @property {() => void} remove
 */

/** @param {string} [from] the checkout @returns {Promise<{ code: number, output: string, packed: Packed }>} */
export async function packAll(from = root) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-pack-'));
  const filters = packagesToPublish().flatMap((each) => ['--filter', `./${each.folder}`]);
  const { code, output } = await pnpm(['--recursive', ...filters, 'pack', '--pack-destination', folder], {
    cwd: from,
  });
  return { code, output, packed: { folder, remove: () => rmSync(folder, { recursive: true, force: true }) } };
}

/** @returns {import('../lib/workspace.mjs').Package[]} */
export function packagesToPublish() {
  return publishedPackages().filter(({ manifest }) => manifest.private !== true);
}

/** @param {Packed} packed @param {import('../lib/workspace.mjs').Manifest} manifest @returns {string} its path */
export function tarballOf({ folder }, { name, version }) {
  return join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

/**
 * @param {Packed | undefined} packed undefined when packing failed
 * @param {import('../lib/workspace.mjs').Package} each
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function judge(packed, { manifest }) {
  if (packed === undefined) return { code: 1, output: `${manifest.name}: nothing was packed\n` };
  const tarball = tarballOf(packed, manifest);
  if (!existsSync(tarball)) return { code: 1, output: `${manifest.name}: no tarball was written\n` };
  const complaints = contentComplaints(manifest, tarFiles(gunzipSync(readFileSync(tarball))));
  const publint = await capture(process.execPath, [toolEntry('publint', 'publint'), 'run', tarball, '--strict']);
  // A package of a command alone has no types to resolve.
  const attw =
    manifest.exports === undefined
      ? { code: 0, output: '' }
      : await capture(process.execPath, [
          toolEntry('@arethetypeswrong/cli', 'attw'),
          ...[tarball, '--profile', 'esm-only', '--no-color', '--no-emoji', '--format', 'ascii'],
        ]);
  return {
    code: complaints.length === 0 && publint.code === 0 && attw.code === 0 ? 0 : 1,
    output: [...complaints.map((each) => `${manifest.name}: ${each}\n`), publint.output, attw.output].join(''),
  };
}

/**
 * A tarball holds what its manifest names, the licence, and nothing of the workshop.
 *
 * @param {import('../lib/workspace.mjs').Manifest} manifest
 * @param {Map<string, string>} files
 */
export function contentComplaints(manifest, files) {
  const targets = [
    ...Object.values(manifest.exports ?? {}).flatMap(({ types, default: script }) => [types, script]),
    ...Object.values(manifest.bin ?? {}),
  ].map((target) => target.replace('./', ''));
  const complaints = ['LICENSE', ...targets].filter((file) => !files.has(file)).map((file) => `${file} is missing`);
  const data = (manifest.files ?? []).filter((each) => /^[a-z]/.test(each) && each !== 'dist');
  for (const [file, text] of files) {
    const isData = data.some((each) => file === each || file.startsWith(`${each}/`));
    const expected = /^(package\.json|LICENSE|README\.md|CHANGELOG\.md|dist\/.+\.(js|js\.map|d\.ts))$/.test(file);
    if (!(expected || isData) || /\.test\./.test(file)) complaints.push(`${file} must not be published`);
    if (file === 'package.json' && text.includes('workspace:')) complaints.push('package.json has a workspace: range');
  }
  return complaints;
}

/**
 * Reads the ustar archive that pnpm writes: file paths below `package/`, and their text.
 *
 * @param {Uint8Array} archive
 * @returns {Map<string, string>}
 */
function tarFiles(archive) {
  const BLOCK = 512;
  const files = new Map();
  const decoder = new TextDecoder();
  /** @param {number} start @param {number} end */
  const text = (start, end) => decoder.decode(archive.subarray(start, end)).replace(/\0.*$/s, '');
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const name = text(at, at + 100);
    const size = Number.parseInt(text(at + 124, at + 136), 8) || 0;
    const prefix = text(at + 345, at + 500);
    const type = String.fromCharCode(archive[at + 156] ?? 0);
    if (type === '0' || type === '\0') {
      const path = (prefix === '' ? name : `${prefix}/${name}`).replace(/^package\//, '');
      if (path !== '') files.set(path, decoder.decode(archive.subarray(at + BLOCK, at + BLOCK + size)));
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
