/**
 * Proves that the ban on ambient capabilities in the cores can fail: each forbidden line is linted in a throw-away tree with
 * the real configuration, once as a core's source (must be reported) and once as the server's and as a core's test (must not).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root, toolEntry } from '../lib/workspace.mjs';

const BANS = [
  'lint/style/noRestrictedGlobals',
  'lint/style/noRestrictedImports',
  'lint/correctness/noNodejsModules',
  'plugin',
];

/** One forbidden thing each; the name becomes the file's name. */
const FORBIDDEN = {
  'date-now': 'export const x = Date.now();',
  'new-date': 'export const x = new Date();',
  'new-date-of-value': 'export const x = new Date(0);',
  'date-parse': "export const x = Date.parse('2020-01-01T00:00:00Z');",
  'date-as-argument': 'export const x = [Date];',
  'math-random': 'export const x = Math.random();',
  'math-random-by-key': "export const x = Math['random']();",
  'math-random-taken-out': 'const { random } = Math;\nexport const x = random();',
  'math-random-by-alias': 'const m = Math;\nexport const x = m.random();',
  performance: 'export const x = performance.now();',
  fetch: "export const x = (): Promise<Response> => fetch('http://127.0.0.1');",
  process: "export const x = process.env['HOME'];",
  buffer: "export const x = Buffer.from('a');",
  console: "console.info('x');",
  'crypto-global': 'export const x = crypto.subtle;',
  'global-this': 'export const x = globalThis.crypto;',
  'set-timeout': 'setTimeout(() => undefined, 1);',
  'set-interval': 'setInterval(() => undefined, 1);',
  'set-immediate': 'setImmediate(() => undefined);',
  'queue-microtask': 'queueMicrotask(() => undefined);',
  'node-scheme': "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;",
  'node-bare': "import { readFileSync } from 'fs';\nexport const x = readFileSync;",
  'date-fns-barrel': "import { addSeconds } from 'date-fns';\nexport const x = addSeconds;",
  'date-fns-clock': "import { isPast } from 'date-fns/isPast';\nexport const x = isPast;",
};

/** What a core may do, and must not be reported for. */
const ALLOWED = {
  'single-date-fns': "import { addSeconds } from 'date-fns/addSeconds';\nexport const x = addSeconds;",
  'pure-math': 'export const x = Math.max(1, 2);',
  'subtle-as-parameter': 'export const x = (subtle: SubtleCrypto): SubtleCrypto => subtle;',
  bytes: 'export const x = new Uint8Array(4);',
};

/** @param {string} tree @param {Record<string, string>} sources @param {string} folder @param {string} suffix */
function write(tree, sources, folder, suffix) {
  for (const [name, source] of Object.entries(sources)) {
    const file = join(tree, folder, name + suffix);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${source}\n`);
  }
}

const tree = mkdtempSync(join(tmpdir(), 'postern-lint-'));
/** @type {string[]} */
const problems = [];
try {
  cpSync(join(root, 'biome.json'), join(tree, 'biome.json'));
  cpSync(join(root, 'scripts/lint'), join(tree, 'scripts/lint'), { recursive: true });
  for (const core of ['packages/core-auth/src/deep/er', 'packages/core-later/src', 'packages/ports/src']) {
    write(tree, FORBIDDEN, core, '.ts');
    write(tree, FORBIDDEN, core, '.test.ts');
    write(tree, ALLOWED, `${core}/allowed`, '.ts');
  }
  write(tree, FORBIDDEN, 'packages/server/src', '.ts');
  const run = spawnSync(
    process.execPath,
    [
      toolEntry('@biomejs/biome', 'biome'),
      'lint',
      '--vcs-enabled=false',
      '--reporter=json',
      '--max-diagnostics=none',
      '.',
    ],
    { cwd: tree, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (run.stdout === '') throw new Error(`the linter printed nothing: ${run.stderr}`);
  /** @type {{ diagnostics: { category: string | null, location: { path: string } }[] }} */
  const report = JSON.parse(run.stdout);
  const reported = new Set(
    report.diagnostics
      .filter((diagnostic) => BANS.includes(diagnostic.category ?? ''))
      .map((diagnostic) => diagnostic.location.path.replaceAll('\\', '/')),
  );
  const expected = ['packages/core-auth/src/deep/er', 'packages/core-later/src', 'packages/ports/src'].flatMap((core) =>
    Object.keys(FORBIDDEN).map((name) => `${core}/${name}.ts`),
  );
  for (const file of expected) if (!reported.delete(file)) problems.push(`not reported, but must be: ${file}`);
  for (const file of reported) problems.push(`reported, but is allowed: ${file}`);
  if (run.status === 0) problems.push('the linter exited with 0 on forbidden code');
} finally {
  rmSync(tree, { recursive: true, force: true });
}

for (const problem of problems) console.error(problem);
console.log(
  `${Object.keys(FORBIDDEN).length} forbidden and ${Object.keys(ALLOWED).length} allowed uses tried, ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
