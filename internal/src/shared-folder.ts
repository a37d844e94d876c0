/** Where the data and cases shared beside the repository are. Tests that need them are skipped, and counted, without. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Finds the folder `shared` beside the repository, walking up from this file to the one that holds the workspace.
 *
 * @returns its absolute path, or undefined where it is absent, as it is in an installed package.
 * @example
 * ```ts
 * const shared = sharedFolder();
 * describe.skipIf(shared === undefined)('cases', () => { ... });
 * ```
 */
export function sharedFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  const shared = join(dirname(folder), 'shared');
  return statSync(shared, { throwIfNoEntry: false })?.isDirectory() ? shared : undefined;
}
