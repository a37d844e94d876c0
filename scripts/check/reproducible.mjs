/**
 * Builds and packs the sources a second time, in a folder with another path, and compares the tarballs byte by byte: a build
 * of a release from its tag gives what was published.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { capture } from '../lib/child.mjs';
import { publishedPackages, root, toolEntry } from '../lib/workspace.mjs';
import { packAll, packagesToPublish, tarballOf } from './pack.mjs';

/**
 * @param {import('./pack.mjs').Packed | undefined} packed the first build's
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function compareWithAnotherBuild(packed) {
  if (packed === undefined) return { code: 1, output: 'nothing was packed\n' };
  const temporary = mkdtempSync(join(tmpdir(), 'postern-again-'));
  const copy = join(temporary, 'another', 'place');
  try {
    copySources(copy);
    const folders = publishedPackages().map(({ folder }) => folder);
    const types = await capture(process.execPath, [toolEntry('typescript-native', 'tsc'), '-b', ...folders], {
      cwd: copy,
    });
    if (types.code !== 0) return types;
    const scripts = await capture(process.execPath, [toolEntry('tsup', 'tsup')], { cwd: copy });
    if (scripts.code !== 0) return scripts;
    const again = await packAll(copy);
    try {
      if (again.code !== 0) return again;
      const differing = packagesToPublish().filter(
        ({ manifest }) => digestOf(tarballOf(packed, manifest)) !== digestOf(tarballOf(again.packed, manifest)),
      );
      const output = differing
        .map(({ manifest }) => `${manifest.name}: a second build gives another tarball\n`)
        .join('');
      return { code: differing.length === 0 ? 0 : 1, output };
    } finally {
      again.packed.remove();
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Sources and settings, with the installed dependencies behind links. @param {string} copy */
function copySources(copy) {
  const settings = ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', 'tsup.config.ts', 'tsconfig.base.json'];
  for (const entry of [
    ...settings,
    'LICENSE',
    '.npmrc',
    '.pnpmfile.cjs',
    'scripts',
    ...publishedPackages().map(({ folder }) => folder),
  ]) {
    if (!existsSync(join(root, entry))) continue;
    mkdirSync(dirname(join(copy, entry)), { recursive: true });
    cpSync(join(root, entry), join(copy, entry), {
      recursive: true,
      filter: (source) => !/[\\/](node_modules|dist)$|\.tsbuildinfo$/.test(source),
    });
  }
  for (const folder of ['.', ...publishedPackages().map((each) => each.folder)]) {
    const installed = join(root, folder, 'node_modules');
    if (existsSync(installed)) symlinkSync(installed, join(copy, folder, 'node_modules'), 'junction');
  }
}

/** @param {string} file */
function digestOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
