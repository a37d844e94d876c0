/** A folder of one test's own, removed after it, and what lies in it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  path(...parts: readonly string[]): string;
  /** Every file below it, relative, sorted. */
  files(): readonly string[];
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const root = mkdtempSync(join(tmpdir(), 'postern-files-'));
  return {
    path: (...parts) => join(root, ...parts),
    files: () =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort(),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
