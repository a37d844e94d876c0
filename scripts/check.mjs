/**
 * `npm run check [-- --json FILE]`: everything about the code that is not a test of its behaviour. One line a step, with its
 * time; what a failed step printed follows its line. Every step runs, so that one look shows all that is wrong. Two at a time.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, packAll, packagesToPublish } from './check/pack.mjs';
import { compareWithAnotherBuild } from './check/reproducible.mjs';
import { build } from './lib/build.mjs';
import { capture } from './lib/child.mjs';
import { publishedPackages, root, toolEntry } from './lib/workspace.mjs';

/** @typedef {() => Promise<{ code: number, output: string }>} Step */

const { values } = parseArgs({ options: { json: { type: 'string' } } });

/** @type {{ name: string, ok: boolean, seconds: number }[]} */
const results = [];

/** @param {string} name @param {Step} work */
async function step(name, work) {
  const started = performance.now();
  const { code, output } = await work();
  const seconds = (performance.now() - started) / 1000;
  results.push({ name, ok: code === 0, seconds });
  console.log(`${code === 0 ? 'ok    ' : 'failed'} ${seconds.toFixed(1).padStart(5)} s  ${name}`);
  if (code !== 0) console.log(`${output.trimEnd()}\n`);
}

/** @param {string} packageName @param {string} command @param {string[]} args @returns {Step} */
const tool = (packageName, command, args) => () =>
  capture(process.execPath, [toolEntry(packageName, command), ...args]);

/** @param {string} file below scripts/ @param {string[]} args @returns {Step} */
const script =
  (file, ...args) =>
  () =>
    capture(process.execPath, [join(root, 'scripts', file), ...args]);

const folders = publishedPackages().map(({ folder }) => folder);
const places = [...folders.map((folder) => `${folder}/src`), 'bench', 'internal', 'interop', 'examples'];
const cruised = places.filter((folder) => existsSync(join(root, folder)));

/** What is packed: declarations, then JavaScript, then each package as its users get it. */
async function packages() {
  // `--force`: the order of unions in declarations depends on what an earlier build left.
  await step('types of the packages', tool('typescript-native', 'tsc', ['-b', '--force', ...folders]));
  await step('build', async () => ({ code: await build(), output: '' }));
  /** @type {import('./check/pack.mjs').Packed | undefined} */
  let packed;
  try {
    await step('pack', async () => {
      const result = await packAll();
      packed = result.packed;
      return result;
    });
    for (const each of packagesToPublish()) await step(`package ${each.manifest.name}`, () => judge(packed, each));
    await step('tarballs are reproducible', () => compareWithAnotherBuild(packed));
  } finally {
    packed?.remove();
  }
}

/** What needs nothing but the sources. */
async function sources() {
  await step(
    'types of tests and tools',
    tool('typescript-native', 'tsc', ['-p', 'tsconfig.tools.json', '--pretty', 'false']),
  );
  await step(
    'format and lint',
    tool('@biomejs/biome', 'biome', ['ci', '--colors=off', '--error-on-warnings', '--max-diagnostics=100', '.']),
  );
  await step(
    'import rules',
    tool('dependency-cruiser', 'depcruise', ['--config', '.dependency-cruiser.mjs', ...cruised]),
  );
  await step('unused code and dependencies', tool('knip', 'knip', ['--no-progress']));
  await step('house rules', script('check/house-rules.mjs'));
  await step('house rules and lint bans fire', script('check/rules-fire.mjs'));
  await step('import rules fire', script('check/import-rules-fire.mjs'));
  await step('bundle sizes', script('check/bundle-sizes.mjs'));
  await step('citations of docs/spec', script('check/spec-links.mjs'));
  await step('citations of docs/spec fire', script('check/spec-links-fire.mjs'));
  await step('files on the way of a call', () =>
    capture(process.execPath, [join(root, 'internal/src/walk/count-files.mjs'), '--check']),
  );
  await step('licences and bills of materials', script('check/supply-chain.mjs'));
  await step('CI sum fires', script('check/ci-sum-fires.mjs'));
  await step('gate of the benchmarks fires', script('check/bench-gate-fires.mjs'));
  // The API reference takes as long as all pages together: `npm run docs` builds it.
  await step('documentation site', () => capture(process.execPath, [join(root, 'docs/site.mjs'), 'pages']));
  await step('generated certificates', script('generate-default-certificates.mjs', '--check'));
}

await Promise.all([packages(), sources()]);

const failed = results.filter(({ ok }) => !ok).length;
console.log(`check: ${results.length - failed} passed, ${failed} failed`);
if (values.json !== undefined) {
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, `${JSON.stringify({ passed: results.length - failed, failed, results }, null, 2)}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
