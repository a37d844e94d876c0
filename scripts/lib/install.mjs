/** Installs the locked dependencies when they are missing or the lockfile has changed since. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageManager, pnpm } from './child.mjs';
import { root } from './workspace.mjs';

const MARKER = join(root, 'node_modules/.postern-installed');

/** @returns {Promise<number>} exit code: 0 when node_modules holds what the lockfile says */
export async function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex');
  if (existsSync(MARKER) && readFileSync(MARKER, 'utf8') === wanted) return 0;

  const started = Date.now();
  console.error(`postern: installing the locked dependencies with ${packageManager} …`);
  const { code, output } = await pnpm(['install', '--frozen-lockfile', '--reporter=append-only']);
  if (code !== 0) {
    console.error(output);
    console.error(`postern: the installation failed (exit code ${code}); what the package manager said is above.`);
    return code;
  }
  writeFileSync(MARKER, wanted);
  const packages = /^Packages: \+(\d+)/m.exec(output)?.[1];
  const what = packages === undefined ? 'already complete' : `${packages} packages`;
  console.error(`postern: installed (${what}, ${seconds(started)} s)`);
  return 0;
}

/** @param {number} started */
function seconds(started) {
  return ((Date.now() - started) / 1000).toFixed(1);
}
