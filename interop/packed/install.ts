/**
 * Packs every published package and installs the tarballs with npm into an empty folder, as a user gets them: once for all
 * tests of the project, which find the folder with `inject('installed')`.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { packAll, packagesToPublish, tarballOf } from '../../scripts/check/pack.mjs';
import { capture } from '../../scripts/lib/child.mjs';
import { toolEntry } from '../../scripts/lib/workspace.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with a package.json and every published package in its node_modules. */
    installed: string;
  }
}

const NPM_OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** What vitest calls before the project's first test; what it returns is called after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const packages = packagesToPublish();
  const folder = mkdtempSync(join(tmpdir(), 'postern-installed-'));
  // Not rmSync: 150 MB would block the process that waits for its workers to end.
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // `npm run interop` has built the JavaScript; without declarations the tarballs would be of no use to TypeScript.
    await done(
      capture(process.execPath, [toolEntry('typescript', 'tsc'), '-b', ...packages.map((each) => each.folder)]),
    );
    const { packed, ...result } = await packAll();
    try {
      await done(Promise.resolve(result));
      writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
      const tarballs = packages.map(({ manifest }) => tarballOf(packed, manifest));
      await done(capture('npm', ['install', ...NPM_OPTIONS, ...tarballs], { cwd: folder }));
    } finally {
      packed.remove();
    }
  } catch (error) {
    await remove();
    throw error;
  }
  project.provide('installed', folder);
  return remove;
}

async function done(step: Promise<{ code: number; output: string }>): Promise<void> {
  const { code, output } = await step;
  if (code !== 0) throw new Error(output);
}
