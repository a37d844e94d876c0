/** The version of this package, from its package.json. */
import { readFileSync } from 'node:fs';

// The file is this package's own: its shape is known.
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

export const VERSION: string = manifest.version;
