/** Clients written in Go, as programs of a few files each: built where Go is, run by the tests of their folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../scripts/interop/build-go-program.sh', import.meta.url));

export const hasGo = spawnSync('go', ['version']).status === 0;

/** @returns the path of the program. Takes a minute on a machine that never built it. */
export function buildGoProgram(folder: URL): string {
  return execFileSync(BUILD, [fileURLToPath(folder)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}
