/** Proves that each import rule can fail: a file that breaks it, in a tree of its own, must be refused by that rule. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import cruiser from '../../.dependency-cruiser.mjs';
import { root, toolEntry } from '../lib/workspace.mjs';

const rules = (cruiser.forbidden ?? []).map(({ name = '' }) => name);
const AUTH = 'packages/core-auth/src';

/** By rule: the importing file, and a file or a module that it must not import. */
const SAMPLES = {
  ...Object.fromEntries(
    rules.flatMap((rule) => {
      const floor = /^core-auth-([\w-]+)-looks-down$/.exec(rule)?.[1];
      return floor === undefined ? [] : [[rule, [`${AUTH}/${floor}/low.ts`, `${AUTH}/api/high.ts`]]];
    }),
  ),
  'core-auth-floors-know-the-method-by-type': [`${AUTH}/roles/value.ts`, `${AUTH}/method-context.ts`],
  'ports-import-nothing': ['packages/ports/src/a.ts', 'node:fs'],
  'kernel-imports-ports': ['packages/kernel/src/a.ts', 'packages/http/src/index.ts'],
  'cores-import-ports-and-parsers': [`${AUTH}/a.ts`, 'packages/http/src/index.ts'],
  'core-registry-parses-no-certificates': ['packages/core-registry/src/a.ts', 'pkijs'],
  'versions-are-of-core-registry': [`${AUTH}/b.ts`, 'semver'],
  'date-fns-by-single-functions': ['packages/http/src/a.ts', 'date-fns'],
  'adapters-import-ports-only': ['packages/storage-later/src/a.ts', 'packages/http/src/index.ts'],
  'testkit-imports-ports-only': ['packages/testkit/src/a.ts', 'packages/http/src/index.ts'],
  'test-world-by-its-subpath-only': ['packages/testkit/src/b.ts', 'packages/testkit/src/world.ts'],
  'http-and-client-import-cores': ['packages/client/src/a.ts', 'packages/catalogue/src/index.ts'],
  'client-takes-types-of-cores': ['packages/client/src/b.ts', `${AUTH}/index.ts`],
  'client-loads-its-signer-late': ['packages/client/src/c.ts', '@smithy/signature-v4'],
  'registry-check-reads-files-in-one-place': ['packages/registry-check/src/a.ts', 'node:fs'],
  'only-commands-import-the-server': ['packages/http/src/b.ts', 'packages/server/src/index.ts'],
  'testkit-only-in-tests-and-sandbox': ['packages/http/src/c.ts', 'packages/testkit/src/index.ts'],
  'the-command-loads-servers-late': ['packages/cli/src/a.ts', 'packages/server/src/index.ts'],
  'packages-by-name-only': ['packages/http/src/d.ts', 'packages/kernel/src/index.ts'],
  'packages-by-name-only-from-outside': ['bench/a.ts', 'packages/kernel/src/index.ts'],
  'no-undeclared-dependency': ['packages/http/src/e.ts', 'undeclared'],
  'no-unresolvable-import': ['packages/http/src/f.ts', './missing.js'],
  'no-cycle': ['packages/http/src/g.ts', 'packages/http/src/h.ts'],
  'no-orphan': ['packages/http/src/alone.ts', ''],
  'internal-only-in-tests': ['packages/http/src/i.ts', 'internal/src/index.ts'],
  'no-test-from-source': ['packages/http/src/j.ts', 'packages/http/src/k.test.ts'],
};

const tree = mkdtempSync(join(tmpdir(), 'postern-imports-'));
/** @param {string} file @param {string} text */
const write = (file, text) => {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), text, { flag: 'a' });
};
cpSync(join(root, '.dependency-cruiser.mjs'), join(tree, '.dependency-cruiser.mjs'));
write('tsconfig.tools.json', '{ "compilerOptions": { "module": "NodeNext" } }');
for (const [from = '', to = ''] of Object.values(SAMPLES)) {
  const isFile = to.endsWith('.ts');
  const specifier = isFile ? `./${relative(dirname(from), to).replace(/\.ts$/, '.js')}` : to;
  write(from, to === '' ? 'export const alone = 1;\n' : `export { x } from '${specifier}';\n`);
  if (isFile) write(to, 'export const x = 1;\n');
  else if (/^[a-z@]/.test(to) && !to.startsWith('node:')) {
    write(`node_modules/${to}/package.json`, '{ "main": "index.js" }\n');
    write(`node_modules/${to}/index.js`, 'export const x = 1;\n');
  }
}
write('packages/http/src/h.ts', "export { y } from './g.js';\n");
const { stdout } = spawnSync(
  process.execPath,
  [
    toolEntry('dependency-cruiser', 'depcruise'),
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'json',
    'packages',
    'bench',
  ],
  { cwd: tree, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
rmSync(tree, { recursive: true, force: true });
/** @type {{ summary: { violations: { from: string, rule: { name: string } }[] } }} */
const { summary } = JSON.parse(stdout);
const fired = new Set(summary.violations.map(({ from, rule }) => `${rule.name} ${from}`));
const silent = rules.filter((rule) => !fired.has(`${rule} ${Reflect.get(SAMPLES, rule)?.[0]}`));
for (const rule of silent) console.error(`${rule}: no sample, or not refused`);
console.log(`${rules.length} import rules, ${silent.length} silent`);
process.exitCode = silent.length === 0 ? 0 : 1;
