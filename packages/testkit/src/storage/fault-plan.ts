/** Which faults a storage suffers, and how often: the ways in which a database over a network lets its callers down. */

/**
 * `unavailable`: refused before the write. `applied_unknown`: applied, and the answer lost. `lost_unknown`: lost on the
 * way, and the caller can't tell it from the former. `conflict`: refused although nothing changed, as by a database
 * that suspects a conflict; only commits with a precondition. `duplicate`: delivered twice, answered as the first.
 */
export type CommitFault = 'unavailable' | 'applied_unknown' | 'lost_unknown' | 'conflict' | 'duplicate';

/** `unavailable`: no answer. `stale`: what the key held before its last change; `get` and `getMany` only. */
export type ReadFault = 'unavailable' | 'stale';

/** Probabilities from 0 to 1; those of one kind of call add up to 1 at most. What is left out never happens. */
export interface FaultPlan {
  /** The same seed and the same calls give the same faults. Default 1. */
  readonly seed?: number | undefined;
  readonly commits?: Readonly<Partial<Record<CommitFault, number>>> | undefined;
  readonly reads?: Readonly<Partial<Record<ReadFault, number>>> | undefined;
  /** Up to this many turns of the event loop pass before and after each call, so that callers interleave. Default 0. */
  readonly maxYields?: number | undefined;
}

/** Chooses by a number from 0 to 1 which fault strikes, if any. */
export function drawFault<F extends string>(
  rates: Readonly<Partial<Record<F, number>>>,
  chance: number,
): F | undefined {
  let threshold = 0;
  for (const fault of faultsOf(rates)) {
    threshold += rates[fault] ?? 0;
    if (chance < threshold) return fault;
  }
  return undefined;
}

/** @throws TypeError when a rate is no probability, or they add up to more than 1. */
export function checkRates(rates: Readonly<Record<string, number | undefined>>): void {
  const values = Object.values(rates).map((rate) => rate ?? 0);
  const sum = values.reduce((total, rate) => total + rate, 0);
  if (values.some((rate) => !(rate >= 0 && rate <= 1)) || sum > 1 + Number.EPSILON * 4) {
    throw new TypeError('rates of faults are probabilities that add up to 1 at most');
  }
}

function faultsOf<F extends string>(rates: Readonly<Partial<Record<F, number>>>): readonly F[] {
  // Object.keys gives text; the keys of a Partial<Record<F, …>> are of F.
  return Object.keys(rates) as F[];
}
