/** Every test file of packages and interop with its text: what the indexes of cases and of threats read. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface TestFile {
  /** From the root of the repository. */
  readonly file: string;
  readonly text: string;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export function testFiles(): readonly TestFile[] {
  return [...filesBelow(join(root, 'packages')), ...filesBelow(join(root, 'interop'))].map((file) => ({
    file: relative(root, file),
    text: readFileSync(file, 'utf8'),
  }));
}

/** What is installed, built or hidden is not ours, and large. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return entry.name.endsWith('.test.ts') ? [path] : [];
    const isForeign = !entry.isDirectory() || /^(\.|node_modules$|dist$)/.test(entry.name);
    return isForeign ? [] : filesBelow(path);
  });
}
