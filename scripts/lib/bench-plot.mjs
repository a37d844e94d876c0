/** Draws cost against size, from the figures that have a size, as an SVG that needs no script and fits light and dark pages. */

import { summarize } from './bench-figures.mjs';

/** @typedef {import('./bench-figures.mjs').Figure} Figure */

const WIDTH = 720;
const HEIGHT = 340;
const LEFT = 52;
const RIGHT = 210;
const TOP = 34;
const BOTTOM = 46;
const COLOURS = ['#2f6fdb', '#c4541a', '#2b8a5f', '#8a4fc4', '#a8842c'];

/** @param {number} value */
const fixed = (value) => Number(value.toFixed(1));

/**
 * One line a series: the median, and a bar from the least to the most round.
 *
 * @param {Figure[]} figures
 * @returns {string}
 */
export function plotCostAgainstSize(figures) {
  const sized = figures.flatMap(({ size, ratios }) => (size === undefined ? [] : [{ ...size, ratios }]));
  for (const [of, from] of new Map(sized.map(({ of, from }) => [of, from]))) {
    sized.push({ of, from, is: from, ratios: [1] });
  }
  const sizes = sized.map(({ is }) => is);
  const [from, to] = [Math.log10(Math.min(...sizes)), Math.log10(Math.max(...sizes))];
  const top = Math.max(2, Math.ceil(Math.max(...sized.flatMap(({ ratios }) => ratios))));
  /** @param {number} size */
  const x = (size) => fixed(LEFT + ((Math.log10(size) - from) / (to - from)) * (WIDTH - LEFT - RIGHT));
  /** @param {number} ratio */
  const y = (ratio) => fixed(HEIGHT - BOTTOM - (ratio / top) * (HEIGHT - TOP - BOTTOM));

  const across = Array.from({ length: top + 1 }, (_, ratio) => [
    `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(ratio)}" y2="${y(ratio)}"/>`,
    `<text x="${LEFT - 8}" y="${y(ratio) + 4}" text-anchor="end">${ratio} ×</text>`,
  ]).flat();
  const decades = Array.from({ length: Math.floor(to) - Math.ceil(from) + 1 }, (_, at) => 10 ** (Math.ceil(from) + at));
  const below = decades.map(
    (size) =>
      `<text x="${x(size)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
  );

  const series = [...new Set(sized.map(({ of }) => of))];
  const lines = series.flatMap((name, at) => {
    const colour = COLOURS[at % COLOURS.length];
    const points = sized.filter(({ of }) => of === name).sort((a, b) => a.is - b.is);
    const path = points.map(({ is, ratios }) => `${x(is)},${y(summarize(ratios).median)}`).join(' ');
    const bars = points.map(
      ({ is, ratios }) =>
        `<line x1="${x(is)}" x2="${x(is)}" y1="${y(Math.min(...ratios))}" y2="${y(Math.max(...ratios))}" stroke="${colour}" opacity=".45" stroke-width="5"/>`,
    );
    const dots = points.map(
      ({ is, ratios }) => `<circle cx="${x(is)}" cy="${y(summarize(ratios).median)}" r="3.5" fill="${colour}"/>`,
    );
    const key = TOP + 14 + at * 22;
    return [
      ...bars,
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...dots,
      `<line x1="${WIDTH - RIGHT + 18}" x2="${WIDTH - RIGHT + 40}" y1="${key}" y2="${key}" stroke="${colour}" stroke-width="3"/>`,
      `<text x="${WIDTH - RIGHT + 48}" y="${key + 4}">${name}</text>`,
    ];
  });

  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Cost against size">`,
    '<style>text{font:12px system-ui,sans-serif;fill:#57606a}.grid{stroke:#8b949e;stroke-opacity:.35}@media(prefers-color-scheme:dark){text{fill:#b1bac4}}</style>',
    `<text x="${LEFT}" y="18">CPU for that at the smallest size</text>`,
    ...across,
    ...below,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">stored entries or versions</text>`,
    ...lines,
    '</svg>',
  ].join('\n')}\n`;
}
