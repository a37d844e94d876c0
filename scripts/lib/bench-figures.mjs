/** Figures of the benchmarks against those of a committed run: what a benchmark reports (`bench/src/figures.ts`), judged. */

/**
 * @typedef {{ name: string, ratios: number[], better: 'lower' | 'higher', target?: number, limit?: number, judged?: false, size?: { of: string, from: number, is: number } }} Figure
 * @typedef {Record<string, { median: number, least: number, most: number }>} Baseline by the figure's name
 */

/** Every round has to be worse by more than this share: a round beside other work is, all of them are not. */
const TOLERANCE = 0.3;

/** @param {string} lines one JSON object a line @returns {Figure[]} */
export function parseFigures(lines) {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** @param {number[]} values */
export function summarize(values) {
  const sorted = values.toSorted((a, b) => a - b);
  /** @param {number} at */
  const rounded = (at) => Number((sorted[at] ?? Number.NaN).toFixed(3));
  return { median: rounded(sorted.length >> 1), least: rounded(0), most: rounded(sorted.length - 1) };
}

/** @param {Figure[]} figures @returns {Baseline} */
export function baselineOf(figures) {
  return Object.fromEntries(figures.map(({ name, ratios }) => [name, summarize(ratios)]));
}

/**
 * What is worse than the baseline in every round, or not in it.
 *
 * @param {Figure[]} figures @param {Baseline} baseline @returns {string[]}
 */
export function findRegressions(figures, baseline) {
  return figures.flatMap(({ name, ratios, better, judged }) => {
    if (judged === false) return [];
    const accepted = baseline[name];
    if (accepted === undefined) return [`${name}: not in the baseline; accept it with "npm run bench -- --accept"`];
    const { least, most } = summarize(ratios);
    const worst = better === 'lower' ? accepted.median * (1 + TOLERANCE) : accepted.median * (1 - TOLERANCE);
    const isWorse = better === 'lower' ? !(least <= worst) : !(most >= worst);
    const at = better === 'lower' ? `at least ${least}` : `at most ${most}`;
    return isWorse ? [`${name}: ${at} in every round, ${accepted.median} in the baseline`] : [];
  });
}

/** @param {Figure[]} figures @returns {string} a table in Markdown */
export function tableOf(figures) {
  const rows = figures.map(({ name, ratios, better, target, limit }) => {
    const { median, least, most } = summarize(ratios);
    const bound = better === 'lower' ? '≤' : '≥';
    const bounds = [
      ...(target === undefined ? [] : [`target ${bound} ${target}`]),
      ...(limit === undefined ? [] : [`limit ${bound} ${limit}`]),
    ];
    return `| ${name} | ${least.toFixed(2)} | ${median.toFixed(2)} | ${most.toFixed(2)} | ${bounds.join(', ')} |`;
  });
  return ['| ratio | least | median | most | |', '|---|---|---|---|---|', ...rows].join('\n');
}
