/**
 * Whether the configuration of a directory may call modules. `init` writes no manifest where it calls none, and then there
 * is nothing to check; where in doubt, it does. Only block headers count, and these stand at the start of a line.
 */
import { namesIn, readTextFile } from '../read-text-file.js';

const CONFIGURATION = /\.(?:tf|tofu)(\.json)?$/;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Blanks, a byte order mark and the end of a comment may stand before it. */
const MODULE_BLOCK = /(?:^|[\n\r]|\*\/)[\s\uFEFF]*module\b(?!\s*[=.])/;

/** @returns undefined where there is no configuration. @throws the error of the file system. */
export async function callsModules(directory: string): Promise<boolean | undefined> {
  const names = (await namesIn(directory)).filter((name) => CONFIGURATION.test(name));
  if (names.length === 0) return undefined;
  for (const name of names) {
    const text = await readTextFile(`${directory}/${name}`, MAX_FILE_BYTES);
    if (text === undefined || (name.endsWith('.json') ? !isJsonWithout(text) : MODULE_BLOCK.test(text))) return true;
  }
  return false;
}

/** In JSON a key may be written with escapes, and a list of objects stands for all of them. */
function isJsonWithout(text: string): boolean {
  try {
    const document: unknown = JSON.parse(text);
    const bodies: readonly unknown[] = Array.isArray(document) ? document : [document];
    return bodies.every((body) => typeof body === 'object' && body !== null && !Object.hasOwn(body, 'module'));
  } catch {
    return false;
  }
}
