/** Figures of the benchmarks: ratios of two sides in one run. Printed for people; `npm run bench` gathers and judges them. */
import { appendFileSync } from 'node:fs';

export interface Figure {
  /** Unique among all benchmarks. */
  readonly name: string;
  /** One for each round: what one side costs or does, divided by the other. */
  readonly ratios: readonly number[];
  /** Which way is better. */
  readonly better: 'lower' | 'higher';
  /** What the median is meant to be; nothing fails beyond it. */
  readonly target?: number;
  /** The benchmark fails when every round is beyond it: other work on the machine moves some, not all. */
  readonly limit?: number;
  /** `false` for what a busy machine moves as much as a change does, such as the tail of latencies: shown, not held against the baseline. */
  readonly judged?: false;
  /** Drawn against it: what is measured, at which size, for its cost at which other size. */
  readonly size?: { readonly of: string; readonly from: number; readonly is: number };
}

/** What `npm run bench` reads: a line of JSON for each figure. */
const FILE = process.env['POSTERN_BENCH_FIGURES'];

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** `4.10 (3.90 to 4.42)`: median, least and most. */
export function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
}

/** Prints the figure and hands it to `npm run bench`. Beyond its limit the process ends with 1. */
export function report(figure: Figure): void {
  const { name, ratios, better, target, limit } = figure;
  const bound = better === 'lower' ? 'at most' : 'at least';
  const bounds = [
    ...(target === undefined ? [] : [`target ${bound} ${target}`]),
    ...(limit === undefined ? [] : [`limit ${bound} ${limit}`]),
  ];
  console.log(`${name}: ${spread(ratios)}${bounds.map((each) => `, ${each}`).join('')}`);
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify(figure)}\n`);
  const best = better === 'lower' ? Math.min(...ratios) : Math.max(...ratios);
  const isWithin = limit === undefined || (better === 'lower' ? best <= limit : best >= limit);
  if (!isWithin) process.exitCode = 1;
}
