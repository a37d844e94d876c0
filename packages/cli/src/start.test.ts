/** How fast the built command starts: what it loads, and its time against that of Node itself in the same run. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const ROUNDS = 9;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-start-'));
  mkdirSync(join(folder, '.terraform/modules'), { recursive: true });
  writeFileSync(join(folder, '.terraform/modules/modules.json'), '{"Modules":[{"Key":"","Source":"","Dir":"."}]}');
  writeFileSync(join(folder, 'hook.mjs'), HOOK);
  writeFileSync(join(folder, 'register.mjs'), REGISTER);
});
afterAll(() => rmSync(folder, { recursive: true }));

const HOOK = `import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(new URL('loaded.txt', import.meta.url), url + '\\n');
  return next(url, context);
}`;
const REGISTER = `import { register } from 'node:module'; register('./hook.mjs', import.meta.url);`;

/** Files that a command imports, those of Node left out. */
function loadedBy(args: readonly string[]): readonly string[] {
  const log = join(folder, 'loaded.txt');
  writeFileSync(log, '');
  execFileSync(process.execPath, ['--import', join(folder, 'register.mjs'), CLI, ...args], { stdio: 'ignore' });
  return readFileSync(log, 'utf8').split('\n').filter(Boolean);
}

/** Of the least time of several runs for that of Node that does nothing, run in turns. */
function startRatio(args: readonly string[]): number {
  const least = { command: Number.POSITIVE_INFINITY, node: Number.POSITIVE_INFINITY };
  const time = (given: readonly string[]) => {
    const startedAt = performance.now();
    execFileSync(process.execPath, given, { stdio: 'ignore' });
    return performance.now() - startedAt;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    least.node = Math.min(least.node, time(['-e', '0']));
    least.command = Math.min(least.command, time([CLI, ...args]));
  }
  return least.command / least.node;
}

describe('postern --help', () => {
  it('loads files of its own package alone', () => {
    const loaded = loadedBy(['--help']);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((url) => !url.includes('/packages/cli/dist/'))).toEqual([]);
  });

  it('takes less than twice the time of Node itself', () => {
    expect(startRatio(['--help'])).toBeLessThan(1.9);
  });
});

describe('postern registry check', () => {
  it('loads neither a schema library nor the registry, a server or a cloud', () => {
    const loaded = loadedBy(['registry', 'check', folder]);
    expect(loaded.some((url) => url.includes('/registry-check/'))).toBe(true);
    const heavy =
      /\/(?:zod|hono|undici|@aws-sdk|@smithy)\/|\/packages\/(?:server|http|core-auth|provider-aws)\/|\/core-registry\/dist\/index/;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
    expect(loaded.length).toBeLessThan(25);
  });

  it('has checked a directory without modules in less than three times the time of Node itself', () => {
    expect(startRatio(['registry', 'check', folder])).toBeLessThan(2.9);
  });
});
