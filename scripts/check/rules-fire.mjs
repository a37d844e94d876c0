/** Proves that the house rules and the linter's bans in the cores can fail: each forbidden sample must be refused, each allowed one not. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root, toolEntry } from '../lib/workspace.mjs';
import { declaredImports, documentedDependencies, packaging, pinning, references } from './rules/manifest-rules.mjs';
import { MAX_LINES, sourceComplaints } from './rules/source-rules.mjs';

/** @type {string[]} */
const problems = [];
let tried = 0;

/** @param {string} what @param {boolean} isRefused @param {boolean} mustBe */
function expectVerdict(what, isRefused, mustBe) {
  tried += 1;
  if (isRefused !== mustBe) problems.push(`${what}: ${mustBe ? 'not refused' : 'refused'}`);
}

const source = 'packages/later/src/a.ts';
for (const [path, text, refused] of /** @type {[string, string, boolean][]} */ ([
  [source, 'x\n'.repeat(MAX_LINES), false],
  [source, 'x\n'.repeat(MAX_LINES + 1), true],
  ...['skip', 'only', 'todo'].map((off) => ['a.test.ts', `describe.${off}('says so', () => {});`, true]),
  ['a.test.ts', `it.concurrent.${'skip'}.each([])('says so', () => {});`, true],
  ['a.test.ts', `it('says so', { ${'skip'}: true }, () => {});`, true],
  ['a.test.ts', "it.skipIf(folder === undefined)('does not skip only one', () => {});", false],
  ['a.md', `see ${'/work'}/main`, true],
  ['a.md', ['registry.npm', 'js.org'].join(''), true],
  ['a.md', 'a network of libraries', false],
])) {
  expectVerdict(`${path} ${text.slice(0, 60)}`, sourceComplaints(path, text).length > 0, refused);
}

const sound = /** @type {import('./rules/manifest-rules.mjs').Manifest} */ ({
  ...{ name: '@postern/later', version: '0.1.0', license: 'Apache-2.0', type: 'module', sideEffects: false },
  ...{ engines: { node: '>=20.19' }, publishConfig: { access: 'public' }, description: 'd', keywords: ['k'] },
  ...{
    dependencies: { '@postern/ports': 'workspace:^', pg: '^8.0.0' },
    devDependencies: { '@postern/http': 'workspace:*' },
  },
}); // prettier-ignore
const importing = "import { a } from '@postern/http';";
for (const [what, complaints, refused] of /** @type {[string, string[], boolean][]} */ ([
  ['a sound manifest', [...packaging('p', sound, '0.1.0'), ...pinning('p', sound)], false],
  ['another version', packaging('p', sound, '0.2.0'), true],
  ['no description', packaging('p', { ...sound, description: '' }, '0.1.0'), true],
  ['an exact dependency', pinning('p', { ...sound, dependencies: { pg: '8.0.0' } }), true],
  [
    'an exact package of the workspace',
    pinning('p', { ...sound, dependencies: { '@postern/ports': 'workspace:*' } }),
    true,
  ],
  ['a range of a tool', pinning('p', { ...sound, devDependencies: { pg: '^8.0.0' } }), true],
  ['a tool by another name', pinning('p', { ...sound, devDependencies: { pq: 'npm:pg@8.0.0' } }), false],
  ['a range by another name', pinning('p', { ...sound, devDependencies: { pq: 'npm:pg@^8.0.0' } }), true],
  ['a range of a private package', pinning('p', { ...sound, private: true }), true],
  ['a reference', references('packages/t', sound, { references: [{ path: '../ports' }] }), false],
  ['a missing reference', references('packages/t', sound, {}), true],
  ['another reference', references('packages/t', sound, { references: [{ path: '../http' }] }), true],
  ['an import that a test declares', declaredImports('packages/later/src/a.test.ts', importing, sound), false],
  ['an import that only tests declare', declaredImports(source, importing, sound), true],
  ['a dynamic import', declaredImports(source, "await import('@postern/cli')", sound), true],
  ['a documented dependency', documentedDependencies('d', '| `pg` | why |', [sound]), false],
  ['an undocumented dependency', documentedDependencies('d', '', [sound]), true],
  ['a documented ghost', documentedDependencies('d', '| `pg` | why |\n| `ms` | why |', [sound]), true],
])) {
  expectVerdict(what, complaints.length > 0, refused);
}

/** Each stands in the sources of a core, which must be refused, and in a test of it and in the server, which must not. */
const AMBIENT = [
  ...['Date.now()', 'new Date(0)', '[Date]', 'Math.random()', "Math['random']()", 'performance.now()'],
  ...["fetch('http://127.0.0.1')", "process.env['HOME']", "Buffer.from('a')", 'crypto.subtle', 'globalThis.crypto'],
  ...['console', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
].map((expression) => `export const x = ${expression};`);
const BANNED = [
  ...AMBIENT,
  'const { random } = Math;\nexport const x = random();',
  ...['node:fs', 'fs', 'date-fns', 'date-fns/isPast'].map((from) => `export { x } from '${from}';`),
];
const ALLOWED = [...['Math.max(1, 2)', 'new Uint8Array(4)', '(subtle: SubtleCrypto): SubtleCrypto => subtle']].map(
  (expression) => `export const x = ${expression};`,
);
ALLOWED.push("export { addSeconds } from 'date-fns/addSeconds';");

const tree = mkdtempSync(join(tmpdir(), 'postern-lint-'));
try {
  for (const each of ['biome.json', 'scripts/lint']) cpSync(join(root, each), join(tree, each), { recursive: true });
  /** @type {[string, boolean][]} */
  const verdicts = [];
  /** @param {string} folder @param {string} suffix @param {readonly string[]} sources @param {boolean} refused */
  const write = (folder, suffix, sources, refused) => {
    for (const [at, text] of sources.entries()) {
      const file = `packages/${folder}/src/${refused}${at}${suffix}`;
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), `${text}\n`);
      verdicts.push([file, refused]);
    }
  };
  for (const core of ['core-auth/src/deep', 'core-later', 'ports']) {
    write(core, '.ts', BANNED, true);
    write(core, '.ts', ALLOWED, false);
    write(core, '.test.ts', BANNED, false);
  }
  write('server', '.ts', BANNED, false);
  const options = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', '.'];
  const { stdout } = spawnSync(process.execPath, [toolEntry('@biomejs/biome', 'biome'), ...options], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  /** @type {{ diagnostics: { category: string | null, location: { path: string } }[] }} */
  const { diagnostics } = JSON.parse(stdout);
  const ban = /noRestrictedGlobals|noRestrictedImports|noNodejsModules|^plugin/;
  const banned = new Set(
    diagnostics
      .filter(({ category }) => ban.test(category ?? ''))
      .map(({ location }) => location.path.replaceAll('\\', '/')),
  ); // prettier-ignore
  for (const [file, refused] of verdicts) expectVerdict(file, banned.has(file), refused);
} finally {
  rmSync(tree, { recursive: true, force: true });
}

for (const problem of problems) console.error(problem);
console.log(`${tried} samples, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
