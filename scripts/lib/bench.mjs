/** Bundles every `bench/src/*.bench.ts` and runs them one after another: figures of two at once would mean nothing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { baselineOf, findRegressions, parseFigures, tableOf } from './bench-figures.mjs';
import { plotCostAgainstSize } from './bench-plot.mjs';
import { run } from './child.mjs';
import { root } from './workspace.mjs';

const OUT = join(root, 'bench/out');
const FIGURES = join(OUT, 'figures.jsonl');

/** Of wall time, or of cores that the load takes: a short run of them says nothing. */
const FULL_ONLY = new Set(['latency', 'workers']);

const USAGE = `npm run bench -- [NAME...] [--quick] [--accept]
  NAME      only these benchmarks, such as "logins"
  --quick   some minutes instead of twenty, without latency and workers: what CI runs
  --accept  makes these figures the baseline that later runs are judged by; those of a run that is not quick
            go into docs/performance.md, too`;

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code: 0 when every benchmark ended with 0, and no figure is worse than the baseline
 */
export async function runBenchmarks(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, accept: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const isQuick = values.quick === true;
  const all = readdirSync(join(root, 'bench/src'))
    .filter((name) => name.endsWith('.bench.ts'))
    .map((name) => name.slice(0, -'.bench.ts'.length))
    .sort();
  const unknown = positionals.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    console.error(`postern: no benchmark "${unknown}"; there are ${all.join(', ')}.`);
    return 2;
  }
  const names = positionals.length > 0 ? positionals : all.filter((name) => !(isQuick && FULL_ONLY.has(name)));
  await bundle(all);

  mkdirSync(OUT, { recursive: true });
  writeFileSync(FIGURES, '');
  const failed = [];
  for (const name of names) {
    console.log(`\n--- ${name}${isQuick ? ' --quick' : ''}`);
    const script = join(root, `bench/dist/${name}.bench.js`);
    const env = { ...process.env, POSTERN_BENCH_FIGURES: FIGURES };
    const started = performance.now();
    const code = await run(process.execPath, ['--expose-gc', script, ...(isQuick ? ['--quick'] : [])], { env });
    console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
    // Ended by a signal: so is this run.
    if (code > 128) return code;
    if (code !== 0) failed.push(`${name} (exit code ${code})`);
  }

  const figures = parseFigures(readFileSync(FIGURES, 'utf8'));
  const mode = isQuick ? 'quick' : 'full';
  if (values.accept) accept(mode, figures, failed);
  const regressions = findRegressions(figures, readBaseline()[mode] ?? {});
  console.log(`\n${tableOf(figures)}`);
  for (const each of regressions) console.log(`worse than the baseline: ${each}`);
  console.log(
    `\nbenchmarks: ${names.length} run, ${failed.length} failed${failed.map((each) => ` - ${each}`).join('')}; ${figures.length} figures, ${regressions.length} worse than the baseline`,
  );
  return failed.length + regressions.length === 0 ? 0 : 1;
}

/** @param {string[]} names */
async function bundle(names) {
  const { build } = await import('tsup');
  await build({
    config: false,
    entry: Object.fromEntries(names.map((name) => [`${name}.bench`, `bench/src/${name}.bench.ts`])),
    outDir: 'bench/dist',
    format: 'esm',
    target: 'node20',
    platform: 'node',
    clean: true,
    silent: true,
    external: [/^[^./]/],
  });
}

const BASELINE = join(root, 'bench/baseline.json');

/** @returns {Record<string, import('./bench-figures.mjs').Baseline>} by `quick` and `full` */
function readBaseline() {
  return existsSync(BASELINE) ? JSON.parse(readFileSync(BASELINE, 'utf8')) : {};
}

/** @param {'quick' | 'full'} mode @param {import('./bench-figures.mjs').Figure[]} figures @param {string[]} failed */
function accept(mode, figures, failed) {
  if (failed.length > 0) return console.error('postern: a run with failures is no baseline.');
  const baseline = readBaseline();
  baseline[mode] = { ...baseline[mode], ...baselineOf(figures) };
  writeFileSync(BASELINE, `${JSON.stringify(baseline, null, 2)}\n`);
  if (mode === 'quick') return;
  const known = join(root, 'docs/assets/performance.json');
  /** @type {import('./bench-figures.mjs').Figure[]} */
  const earlier = existsSync(known) ? JSON.parse(readFileSync(known, 'utf8')) : [];
  const measured = new Set(figures.map(({ name }) => name));
  const kept = [...earlier.filter(({ name }) => !measured.has(name)), ...figures];
  writeFileSync(known, `${JSON.stringify(kept, null, 1)}\n`);
  writeFileSync(join(root, 'docs/assets/performance.svg'), plotCostAgainstSize(kept));
  const page = join(root, 'docs/performance.md');
  const [before, after] = around(readFileSync(page, 'utf8'));
  writeFileSync(page, `${before}${START}\n\n${tableOf(kept)}\n\n${END}${after}`);
}

const START = '<!-- figures: npm run bench -- --accept -->';
const END = '<!-- end of the figures -->';

/** @param {string} page @returns {[string, string]} before and after the part that is generated */
function around(page) {
  const [before = '', rest = ''] = page.split(START);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`docs/performance.md lacks "${START}" and "${END}"`);
  return [before, after];
}
