/** Proves that each house rule can fail: what breaks it is refused, what merely looks like it is not. */
import {
  declaredImports,
  documentedDependencies,
  oneClientLibrary,
  packaging,
  pinning,
  references,
} from './rules/manifest-rules.mjs';
import { MAX_LINES, SOURCE_RULES } from './rules/source-rules.mjs';

/** @type {string[]} */
const problems = [];
let tried = 0;

/** @param {string} what @param {string[]} complaints @param {boolean} refused */
function expectVerdict(what, complaints, refused) {
  tried += 1;
  if (complaints.length > 0 !== refused) problems.push(`${what}: ${refused ? 'not refused' : complaints.join('; ')}`);
}

/** @param {string} path @param {string} text */
const source = (path, text) => SOURCE_RULES.flatMap((rule) => rule(path, text));
const test = 'packages/ports/src/a.test.ts';

for (const [path, text, refused] of /** @type {[string, string, boolean][]} */ ([
  ['packages/ports/src/a.ts', 'x\n'.repeat(MAX_LINES), false],
  ['packages/ports/src/a.ts', 'x\n'.repeat(MAX_LINES + 1), true],
  [test, 'x\n'.repeat(MAX_LINES + 1), true],
  ['docs/guide.md', 'x\n'.repeat(MAX_LINES + 1), false],
  ...['it', 'test', 'describe'].flatMap((name) =>
    ['skip', 'only', 'todo'].map((off) => [test, `${name}.${off}('says so', () => {});`, true]),
  ),
  [test, `it.concurrent.${'skip'}.each([])('says so', () => {});`, true],
  [test, `it('says so', { ${'skip'}: true }, () => {});`, true],
  [test, "it.skipIf(folder === undefined)('says so', () => {});", false],
  [test, "it('does not skip only one', () => {});", false],
  ...['/work', '/farm'].map((path) => ['docs/guide.md', `see ${path}/main`, true]),
  ...[
    ['.lib', 'rary'],
    ['registry.npm', 'js.org'],
    ['py', 'pi.org'],
    ['deb.deb', 'ian.org'],
    ['repo1.mav', 'en.org'],
    ['proxy.gol', 'ang.org'],
    ['crates.i', 'o/x'],
  ].map((parts) => ['docs/guide.md', parts.join(''), true]),
  ['docs/guide.md', 'a network of libraries', false],
  ['pnpm-lock.yaml', `${'/work'}/`, false],
])) {
  expectVerdict(`${path} ${text.slice(0, 60)}`, source(path, text), refused);
}

const sound = /** @type {import('./rules/manifest-rules.mjs').Manifest} */ ({
  name: '@postern/storage-later',
  version: '0.1.0',
  description: 'd',
  keywords: ['k'],
  license: 'Apache-2.0',
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20.19' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  files: ['dist'],
  publishConfig: { access: 'public' },
  dependencies: { '@postern/ports': 'workspace:*', pg: '8.0.0' },
});
/** @param {Record<string, unknown>} change */
const changed = (change) => /** @type {typeof sound} */ ({ ...sound, ...change });

expectVerdict('a sound manifest', packaging('p', sound, '0.1.0'), false);
for (const change of [
  { version: '0.2.0' },
  { license: 'MIT' },
  { type: 'commonjs' },
  { sideEffects: true },
  { engines: { node: '>=18' } },
  { publishConfig: {} },
  { repository: 'x' },
  { description: '' },
  { keywords: [] },
  { files: ['src'] },
  { exports: {} },
  { exports: { '.': { default: './dist/index.js', types: './dist/index.d.ts' } } },
  { exports: { '.': { types: './src/index.ts', default: './dist/index.js' } } },
  { exports: { '.': { types: './dist/index.d.ts', default: './src/index.ts' } } },
]) {
  expectVerdict(JSON.stringify(change), packaging('p', changed(change), '0.1.0'), true);
}

for (const [version, refused] of /** @type {[string, boolean][]} */ ([
  ['8.0.0', false],
  ['8.0.0-rc.1', false],
  ['^8.0.0', true],
  ['~8.0.0', true],
  ['8.x', true],
  ['latest', true],
  ['*', true],
])) {
  expectVerdict(`version ${version}`, pinning('p', changed({ dependencies: { pg: version } })), refused);
  expectVerdict(`dev version ${version}`, pinning('p', changed({ devDependencies: { pg: version } })), refused);
}
expectVerdict('workspace range', pinning('p', changed({ dependencies: { '@postern/ports': 'workspace:^' } })), true);

expectVerdict('one client library', oneClientLibrary('p', sound), false);
expectVerdict(
  'two client libraries',
  oneClientLibrary('p', changed({ dependencies: { pg: '1.0.0', ms: '1.0.0' } })),
  true,
);
const aws = { '@postern/ports': 'workspace:*', '@aws-sdk/client-ec2': '1.0.0', '@aws-sdk/client-iam': '1.0.0' };
expectVerdict('one scope', oneClientLibrary('p', changed({ dependencies: aws })), false);
expectVerdict(
  'the exception',
  oneClientLibrary('p', changed({ name: '@postern/provider-aws', dependencies: { ...aws, undici: '1.0.0' } })),
  false,
);

expectVerdict('references', references('t', sound, { references: [{ path: '../ports' }] }), false);
expectVerdict('a missing reference', references('t', sound, {}), true);
expectVerdict(
  'a reference too many',
  references('t', sound, { references: [{ path: '../ports' }, { path: '../http' }] }),
  true,
);

const file = 'packages/storage-later/src/a.ts';
expectVerdict('a declared import', declaredImports(file, "import type { A } from '@postern/ports';", sound), false);
for (const text of [
  "import { a } from '@postern/http';",
  "export * from '@postern/http';",
  "const a = await import('@postern/http');",
  "import '@postern/http';",
]) {
  expectVerdict(text, declaredImports(file, text, sound), true);
}
const withDev = changed({ devDependencies: { '@postern/testkit': 'workspace:*' } });
const testkit = "import { a } from '@postern/testkit';";
expectVerdict('a development dependency in a source', declaredImports(file, testkit, withDev), true);
expectVerdict(
  'a development dependency in a test',
  declaredImports(file.replace('a.ts', 'a.test.ts'), testkit, withDev),
  false,
);

const row = '| `pg` | storage-later | MIT | why | what |';
const dev = changed({ dependencies: {}, devDependencies: { pg: '8.0.0' } });
expectVerdict('a documented dependency', documentedDependencies('d', row, [sound]), false);
expectVerdict('an undocumented dependency', documentedDependencies('d', '| `ms` | MIT | why | what |\n', [dev]), true);
expectVerdict(
  'a documented ghost',
  documentedDependencies('d', `${row}\n| \`ms\` | MIT | why | what |`, [sound]),
  true,
);
expectVerdict('a user who is not named', documentedDependencies('d', row.replace('later', 'x'), [sound]), true);
expectVerdict('a user who is none', documentedDependencies('d', row, [dev]), true);
expectVerdict('a tool', documentedDependencies('d', '| `pg` | MIT | why | what |', [dev]), false);

for (const problem of problems) console.error(problem);
console.log(`${tried} samples, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
