/** Two servers under the same load, in turns, so that whatever else the machine does falls on both. */
import type { ServerChild } from './child-report.js';
import { type LoadReport, sendAll } from './load.js';

export interface Side {
  readonly child: ServerChild;
  readonly path: string;
  /** What is sent is taken off its front. */
  readonly bodies: string[];
}

export interface Measured extends LoadReport {
  readonly perCpuSecond: number;
}

export interface Turns {
  readonly rounds: number;
  readonly perRound: number;
  readonly connections: number;
}

export interface Pair {
  readonly postern: Measured;
  readonly ceiling: Measured;
}

/** @throws Error when a login is refused: a figure with refusals in it means nothing. */
export async function measure({ child, path, bodies }: Side, count: number, connections: number): Promise<Measured> {
  const before = await child.cpuMicros();
  const load = await sendAll(child.port, path, bodies.splice(0, count), connections);
  const after = await child.cpuMicros();
  if (load.refused > 0) throw new Error(`${load.refused} of ${load.answered} logins were refused`);
  return { ...load, perCpuSecond: load.answered / ((after - before) / 1e6) };
}

/** Each side goes first in every other round. */
export async function measureInTurns(postern: Side, ceiling: Side, turns: Turns): Promise<readonly Pair[]> {
  const { rounds, perRound, connections } = turns;
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ceilingFirst = round % 2 === 0 ? await measure(ceiling, perRound, connections) : undefined;
    const ours = await measure(postern, perRound, connections);
    pairs.push({ postern: ours, ceiling: ceilingFirst ?? (await measure(ceiling, perRound, connections)) });
  }
  return pairs;
}

export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Prints rates, their ratio and the latency of Postern. */
export function printPairs(pairs: readonly Pair[], names: { readonly logins: string; readonly ceiling: string }): void {
  const rate = (side: 'postern' | 'ceiling') => median(pairs.map((pair) => pair[side].perCpuSecond)).toFixed(0);
  const ratio = median(pairs.map((pair) => pair.ceiling.perCpuSecond / pair.postern.perCpuSecond));
  console.log(`${names.logins} per CPU second: ${rate('postern')}`);
  console.log(`bare ceiling (${names.ceiling}): ${rate('ceiling')}`);
  console.log(`ratio ceiling / postern: ${ratio.toFixed(2)} (median of ${pairs.length} rounds)`);
  const p50 = median(pairs.map((pair) => pair.postern.p50Ms));
  const p99 = median(pairs.map((pair) => pair.postern.p99Ms));
  console.log(`latency under load: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
}
