/** `node scripts/doc-blocks.mjs`: writes the code of examples into the pages that show it. A test compares them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentationPages, withRegions } from './lib/doc-blocks.mjs';
import { root } from './lib/workspace.mjs';

for (const page of documentationPages()) {
  const before = readFileSync(join(root, page), 'utf8');
  const { text } = withRegions(before);
  if (text === before) continue;
  writeFileSync(join(root, page), text);
  console.log(`updated ${page}`);
}
