/** Proves that the gate of the benchmarks sees what got worse, and does not fire at what a busy machine does to single rounds. */
import { baselineOf, findRegressions } from '../lib/bench-figures.mjs';

/** @param {'lower' | 'higher'} better @param {...number} ratios */
const figure = (better, ...ratios) => ({ name: 'a', ratios, better });
const cost = baselineOf([figure('lower', 1.9, 2, 2.1)]);
const rate = baselineOf([figure('higher', 0.48, 0.5, 0.52)]);

/** @type {[string, string[], number][]} */
const cases = [
  ['the same cost', findRegressions([figure('lower', 1.9, 2, 2.1)], cost), 0],
  ['one quiet round', findRegressions([figure('lower', 2.4, 3.5, 4)], cost), 0],
  ['a cost that rose in every round', findRegressions([figure('lower', 2.7, 2.8, 2.9)], cost), 1],
  ['a cost that fell', findRegressions([figure('lower', 1, 1, 1)], cost), 0],
  ['a rate that fell in every round', findRegressions([figure('higher', 0.3, 0.31, 0.34)], rate), 1],
  ['a rate with one good round', findRegressions([figure('higher', 0.3, 0.31, 0.45)], rate), 0],
  ['a rate that rose', findRegressions([figure('higher', 0.9)], rate), 0],
  ['a figure without a baseline', findRegressions([figure('lower', 1)], {}), 1],
  ['a figure that is only shown', findRegressions([{ ...figure('lower', 9), judged: false }], cost), 0],
  ['no rounds', findRegressions([figure('lower')], cost), 1],
  ['a round that is no number', findRegressions([figure('lower', Number.NaN)], cost), 1],
];

let problems = 0;
for (const [name, found, wanted] of cases) {
  if (found.length === wanted) continue;
  problems += 1;
  console.error(`${name}: ${found.length} regressions, expected ${wanted}`);
}
console.log(`${cases.length} cases, ${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
