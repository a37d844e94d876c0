/**
 * Proves that the import rules can fail: cruises a throw-away workspace that breaks every rule once, beside code that breaks
 * none, and compares the report, line by line, with what must be in it.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import config from '../../.dependency-cruiser.mjs';
import { root, toolEntry } from '../lib/workspace.mjs';

/** Packages of the throw-away workspace and what their package.json declares. */
const PACKAGES = {
  ports: [],
  'core-auth': ['zod', 'pkijs', 'date-fns', 'hono', 'semver'],
  'core-registry': ['zod', 'pkijs', 'semver'],
  'crypto-node': [],
  'storage-memory': [],
  'storage-later': ['zod'],
  catalogue: ['zod'],
  http: ['hono'],
  client: ['@smithy/signature-v4'],
  'registry-check': [],
  server: [],
  kernel: [],
  sandbox: [],
  cli: [],
  testkit: [],
};
const NPM = ['zod', 'pkijs', 'date-fns', 'hono', 'semver', '@smithy/signature-v4', 'undeclared'];

/** What is as it should be. `packages/x/src/index.ts` and `inner.ts` of each package are there anyway. */
const GOOD = {
  'packages/core-auth/src/good.ts': ['zod', 'pkijs', 'date-fns/addSeconds', '@postern/ports', './inner.js'],
  'packages/core-auth/src/good.test.ts': ['@postern/testkit', '@postern/storage-memory', 'node:fs', './good.js'],
  'packages/core-registry/src/good.ts': ['zod', 'semver', '@postern/ports'],
  'packages/storage-later/src/good.ts': ['@postern/ports', 'zod', 'node:fs'],
  'packages/catalogue/src/good.ts': ['@postern/ports', 'zod', 'node:fs'],
  'packages/http/src/good.ts': ['@postern/core-auth', '@postern/core-registry', 'hono', '@postern/ports'],
  'packages/client/src/good.ts': ['@postern/ports', 'type @postern/core-auth', 'node:fs'],
  'packages/registry-check/src/read-text-file.ts': ['node:fs/promises'],
  'packages/registry-check/src/good.ts': ['@postern/core-registry', '@postern/ports', './read-text-file.js'],
  'packages/sandbox/src/good.ts': ['@postern/testkit', '@postern/server'],
  'packages/kernel/src/good.ts': ['@postern/ports'],
  'packages/server/src/good.ts': ['@postern/http', '@postern/storage-memory', '@postern/crypto-node'],
  'packages/testkit/src/good.ts': ['@postern/ports', 'node:crypto'],
  'bench/src/good.ts': ['@postern/server', '@postern/testkit'],
  'internal/src/index.ts': [],
  'interop/good.test.ts': ['@postern/server', '@postern/testkit'],
};

/** What a core's import of something that is not there breaks. */
const UNRESOLVED = ['cores-import-ports-and-parsers', 'no-undeclared-dependency', 'no-unresolvable-import'];

/** Importing file → forbidden import → the rules that must speak, and no others. @type {Record<string, Record<string, string[]>>} */
const BAD = {
  'packages/ports/src/bad.ts': {
    '@postern/core-auth': ['ports-import-nothing'],
    zod: ['ports-import-nothing', 'no-undeclared-dependency'],
    'node:fs': ['ports-import-nothing'],
  },
  'packages/core-auth/src/bad.ts': {
    'node:crypto': ['cores-import-ports-and-parsers'],
    hono: ['cores-import-ports-and-parsers'],
    semver: ['versions-are-of-core-registry'],
    '@postern/storage-memory': ['cores-import-ports-and-parsers'],
    '@postern/core-registry': ['cores-import-ports-and-parsers'],
    '@postern/testkit': ['cores-import-ports-and-parsers', 'testkit-only-in-tests-and-sandbox'],
    'date-fns': ['date-fns-by-single-functions'],
    '@postern/ports/src/inner.js': UNRESOLVED,
    '../../ports/src/inner.js': ['cores-import-ports-and-parsers', 'packages-by-name-only'],
    './good.test.js': ['no-test-from-source'],
    './missing.js': UNRESOLVED,
  },
  'packages/core-registry/src/bad.ts': {
    '@postern/core-auth': ['cores-import-ports-and-parsers'],
    pkijs: ['core-registry-parses-no-certificates'],
  },
  'packages/crypto-node/src/bad.ts': {
    '@postern/core-auth': ['adapters-import-ports-only'],
    '@postern/testkit': ['adapters-import-ports-only', 'testkit-only-in-tests-and-sandbox'],
  },
  'packages/storage-later/src/bad.ts': {
    '@postern/storage-memory': ['adapters-import-ports-only'],
    '@postern/http': ['adapters-import-ports-only'],
    undeclared: ['no-undeclared-dependency'],
  },
  'packages/catalogue/src/bad.ts': {
    '@postern/core-registry': ['adapters-import-ports-only'],
    '@postern/storage-memory': ['adapters-import-ports-only'],
  },
  'packages/http/src/bad.ts': {
    '@postern/server': ['http-and-client-import-cores', 'only-commands-import-the-server'],
    '@postern/client': ['http-and-client-import-cores'],
    '@postern/crypto-node': ['http-and-client-import-cores'],
  },
  'packages/client/src/bad.ts': {
    '@postern/storage-memory': ['http-and-client-import-cores'],
    '@postern/http': ['http-and-client-import-cores'],
    '@postern/core-auth': ['client-takes-types-of-cores'],
    '@smithy/signature-v4': ['client-loads-its-signer-late'],
  },
  'packages/registry-check/src/bad.ts': {
    '@postern/http': ['http-and-client-import-cores'],
    'node:fs': ['registry-check-reads-files-in-one-place'],
  },
  'packages/testkit/src/bad.ts': { '@postern/core-auth': ['testkit-imports-ports-only'] },
  'packages/kernel/src/bad.ts': { '@postern/core-auth': ['kernel-imports-ports'] },
  'packages/server/src/bad.ts': {
    '@postern/testkit': ['testkit-only-in-tests-and-sandbox'],
    '../../../internal/src/index.js': ['internal-only-in-tests'],
  },
  'packages/cli/src/bad.ts': { '@postern/server': ['the-command-loads-servers-late'] },
  'packages/storage-later/src/bad.test.ts': { '../../ports/src/index.js': ['packages-by-name-only'] },
  'packages/client/src/round.ts': { './round-trip.js': ['no-cycle'] },
  'packages/client/src/round-trip.ts': { './round.js': ['no-cycle'] },
  'packages/client/src/lonely.ts': { '': ['no-orphan'] },
  'bench/src/bad.ts': { '../../packages/ports/src/inner.js': ['packages-by-name-only-from-outside'] },
};

/** @param {string} file @param {string} content */
function write(file, content) {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), content);
}

/** What begins with `type ` is imported as a type. @param {readonly string[]} specifiers */
const importsOf = (specifiers) =>
  `${specifiers.map((each, index) => importOf(each, index)).join('')}export const all = [${specifiers.map((_, index) => `i${index}`).join(', ')}];\n`;

/** @param {string} specifier @param {number} index */
const importOf = (specifier, index) =>
  specifier.startsWith('type ')
    ? `import type * as t${index} from '${specifier.slice(5)}';\nconst i${index}: typeof t${index}.all[] = [];\n`
    : `import * as i${index} from '${specifier}';\n`;

const tree = realpathSync(mkdtempSync(join(tmpdir(), 'postern-imports-')));
/** @type {string[]} */
const problems = [];
let expected = 0;
try {
  cpSync(join(root, '.dependency-cruiser.mjs'), join(tree, '.dependency-cruiser.mjs'));
  write('package.json', '{ "name": "fixture", "private": true, "type": "module" }');
  write(
    'tsconfig.tools.json',
    JSON.stringify({
      compilerOptions: {
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        paths: { '@postern/*': ['./packages/*/src/index.ts'] },
      },
    }),
  );
  for (const [name, dependencies] of Object.entries(PACKAGES)) {
    const manifest = {
      name: `@postern/${name}`,
      type: 'module',
      exports: { '.': './dist/index.js' },
      dependencies: Object.fromEntries(dependencies.map((each) => [each, '1.0.0'])),
    };
    write(`packages/${name}/package.json`, JSON.stringify(manifest));
    write(`packages/${name}/src/index.ts`, importsOf(['./inner.js']));
    write(`packages/${name}/src/inner.ts`, 'export const inner = 1;\n');
  }
  for (const name of NPM) {
    write(
      `node_modules/${name}/package.json`,
      JSON.stringify({
        name,
        version: '1.0.0',
        type: 'module',
        exports: { '.': './index.js', './addSeconds': './addSeconds.js' },
      }),
    );
    write(`node_modules/${name}/index.js`, 'export const npm = 1;\n');
    write(`node_modules/${name}/addSeconds.js`, 'export const npm = 1;\n');
  }
  for (const [file, specifiers] of Object.entries(GOOD)) write(file, importsOf(specifiers));
  for (const [file, specifiers] of Object.entries(BAD)) write(file, importsOf(Object.keys(specifiers).filter(Boolean)));

  const reported = cruise();
  for (const [file, specifiers] of Object.entries(BAD)) {
    for (const [specifier, rules] of Object.entries(specifiers)) {
      for (const rule of rules) {
        expected += 1;
        // The cruiser names Node's modules without their scheme.
        const line = `${rule}: ${file} → ${specifier.replace(/^node:/, '')}`;
        if (!reported.delete(line)) problems.push(`not reported, but must be: ${line}`);
      }
    }
  }
  for (const line of reported) problems.push(`reported, but must not be: ${line}`);
  const tried = new Set(Object.values(BAD).flatMap((specifiers) => Object.values(specifiers).flat()));
  for (const { name } of config.forbidden ?? []) {
    if (name !== undefined && !tried.has(name)) problems.push(`no fixture breaks the rule ${name}`);
  }
} finally {
  rmSync(tree, { recursive: true, force: true });
}

for (const problem of problems) console.error(problem);
console.log(`${expected} violations expected, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @returns {Set<string>} `rule: importing file → what its import says` */
function cruise() {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      toolEntry('dependency-cruiser', 'depcruise'),
      ...['--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'packages', 'bench', 'interop'],
    ],
    { cwd: tree, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (stdout === '') throw new Error(`the cruiser printed nothing: ${stderr}`);
  /** @type {import('dependency-cruiser').ICruiseResult} */
  const result = JSON.parse(stdout);
  const lines = new Set();
  for (const module of result.modules) {
    for (const { name } of module.rules ?? []) lines.add(`${name}: ${module.source} → `);
    for (const dependency of module.dependencies) {
      for (const { name } of dependency.rules ?? []) lines.add(`${name}: ${module.source} → ${dependency.module}`);
    }
  }
  return lines;
}
