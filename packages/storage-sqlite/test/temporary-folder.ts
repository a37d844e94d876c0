/** A folder of one test's own, removed after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  path(...parts: readonly string[]): string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const root = mkdtempSync(join(tmpdir(), 'postern-sqlite-'));
  return {
    path: (...parts) => join(root, ...parts),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
