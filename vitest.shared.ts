import { fileURLToPath } from 'node:url';
import { sourceAliases } from './scripts/lib/workspace.mjs';

/** Tests run against the sources of every package, so that no build is needed to change a line and see it fail. */
export const alias = sourceAliases().map(({ specifier, source }) => ({
  find: new RegExp(`^${specifier}$`),
  replacement: fileURLToPath(new URL(source, import.meta.url)),
}));
