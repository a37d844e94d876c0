/** The table at the end of a run: a line a fault. */
import type { Operation, Violation } from './history.js';

export interface Injected {
  readonly name: string;
  /** Milliseconds of the histories' clock: from its beginning, its end, and that of the recovery. */
  readonly begin: number;
  readonly end: number;
  readonly recovered: number;
}

const COLUMNS = [
  'fault',
  'times',
  'acknowledged',
  'refused',
  'unanswered',
  'violations',
  'unavailable s',
  'slowest answer s',
  'recovery s',
] as const;

export function table(
  injected: readonly Injected[],
  operations: readonly Operation[],
  violations: readonly Violation[],
) {
  const names = [...new Set(injected.map(({ name }) => name))].sort();
  const rows = names.map((name) =>
    rowOf(
      name,
      injected.filter((each) => each.name === name),
      operations,
      violations,
    ),
  );
  const inFault = (at: number) => injected.some((each) => isIn(at, each));
  const outside = violations.filter(({ at }) => !inFault(at)).length;
  const quiet = operations.filter(({ end }) => !inFault(end));
  rows.push(['(no fault)', '', count(quiet, 'done'), ...refusals(quiet), outside, '', slowest(quiet), ''].map(String));
  const all = [[...COLUMNS], ...rows];
  const widths = COLUMNS.map((_name, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))))
    .map((row) => row.join('  '))
    .join('\n');
}

function rowOf(
  name: string,
  windows: readonly Injected[],
  operations: readonly Operation[],
  violations: readonly Violation[],
): string[] {
  const during = operations.filter(({ end }) => windows.some((each) => isIn(end, each)));
  return [
    name,
    windows.length,
    count(during, 'done'),
    ...refusals(during),
    violations.filter(({ at }) => windows.some((each) => isIn(at, each))).length,
    seconds(Math.max(...windows.map((each) => longestGap(each, during)))),
    slowest(during),
    seconds(Math.max(...windows.map(({ end, recovered }) => recovered - end))),
  ].map(String);
}

function refusals(operations: readonly Operation[]) {
  return [count(operations, 'unavailable'), count(operations, 'unknown')];
}

function isIn(at: number, { begin, recovered }: Injected): boolean {
  return at >= begin && at <= recovered;
}

function count(operations: readonly Operation[], wanted: Operation['outcome']): number {
  return operations.filter(({ outcome }) => outcome === wanted).length;
}

/** How long nothing was acknowledged, by any node. */
function longestGap({ begin, recovered }: Injected, operations: readonly Operation[]): number {
  const times = operations.filter(({ outcome }) => outcome === 'done').map(({ end }) => end);
  const inside = [begin, ...times.filter((at) => at > begin && at < recovered).sort((a, b) => a - b), recovered];
  return Math.max(...inside.slice(1).map((at, before) => at - (inside[before] ?? at)));
}

function slowest(operations: readonly Operation[]): string {
  return seconds(Math.max(0, ...operations.map(({ start, end }) => end - start)));
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
