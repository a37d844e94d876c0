/** Servers under the same load, in turns, so that whatever else the machine does falls on all of them. */
import { median, report } from '../figures.js';
import type { ServerChild } from './child-report.js';
import { type LoadReport, sendAll } from './load.js';

export interface Side {
  readonly child: ServerChild;
  readonly path: string;
  /** The next bodies to send. */
  readonly take: (count: number) => readonly string[];
  /** What every answer must be. Default `granted`. */
  readonly answers?: 'granted' | 'refused';
}

export interface Measured extends LoadReport {
  /** User and system time of the server for one request, microseconds: the load generator's is left out. */
  readonly cpuMicros: number;
}

export interface Turns {
  readonly rounds: number;
  readonly perRound: number;
  readonly connections: number;
}

/** @throws Error when an answer is of the other kind: a figure with such answers in it means nothing. */
export async function measure(side: Side, count: number, connections: number): Promise<Measured> {
  const { child, path, answers = 'granted' } = side;
  const bodies = side.take(count);
  const before = await child.cpuMicros();
  const load = await sendAll(child.port, path, bodies, connections);
  const after = await child.cpuMicros();
  const wrong = answers === 'granted' ? load.refused : load.answered - load.refused;
  if (wrong > 0) throw new Error(`${wrong} of ${load.answered} requests were not ${answers}`);
  return { ...load, cpuMicros: (after - before) / load.answered };
}

/** Warms every side up, then measures them in rounds; each round begins with another side. @returns the rounds of each side. */
export async function measureInTurns(sides: readonly Side[], turns: Turns): Promise<readonly (readonly Measured[])[]> {
  const { rounds, perRound, connections } = turns;
  const measured: Measured[][] = sides.map(() => []);
  for (const side of sides) await measure(side, perRound, connections);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < sides.length; turn += 1) {
      const at = (round + turn) % sides.length;
      const side = sides[at];
      if (side !== undefined) measured[at]?.push(await measure(side, perRound, connections));
    }
  }
  return measured;
}

/** CPU of one side for that of another, round by round. */
export function ratiosOf(above: readonly Measured[], below: readonly Measured[]): readonly number[] {
  return above.map(({ cpuMicros }, round) => cpuMicros / (below[round]?.cpuMicros ?? Number.NaN));
}

/** Reports what a login costs against the ceiling, and prints its latency. */
export function reportAgainstCeiling(
  name: string,
  ours: readonly Measured[],
  ceiling: readonly Measured[],
  target: number,
): void {
  const micros = (measured: readonly Measured[]) => median(measured.map(({ cpuMicros }) => cpuMicros)).toFixed(0);
  const p50 = median(ours.map(({ p50Ms }) => p50Ms)).toFixed(1);
  const p99 = median(ours.map(({ p99Ms }) => p99Ms)).toFixed(1);
  report({ name: `${name} / ceiling`, ratios: ratiosOf(ours, ceiling), better: 'lower', target });
  console.log(`  ${micros(ours)} µs of CPU against ${micros(ceiling)}; p50 ${p50} ms, p99 ${p99} ms`);
}
