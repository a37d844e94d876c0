/** The version of this package, as its package.json says. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

export const VERSION: string = z.object({ version: z.string() }).parse(manifest).version;
