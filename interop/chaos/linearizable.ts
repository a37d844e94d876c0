/**
 * Whether calls that overlapped can have happened one after the other, each at one moment between its start and its end
 * (Wing & Gong; Lowe). A call of unknown outcome may have happened at any moment after its start, or never.
 */

/** The state of one object, as text. */
export type State = string;

export interface Step {
  readonly start: number;
  readonly end: number;
  /** Whether it may also never have happened; then its end does not count. */
  readonly optional?: boolean;
  /** The state after it; undefined where it cannot have happened in this state. */
  apply(state: State): State | undefined;
}

/** @returns the first step that no order explains; undefined where there is an order. */
export function firstImpossible(steps: readonly Step[], initial: State): Step | undefined {
  const required = steps.filter(({ optional }) => optional !== true).sort((a, b) => a.start - b.start);
  const optional = steps.filter((step) => step.optional === true).sort((a, b) => a.start - b.start);
  const seen = new Set<string>();
  const furthest = { at: 0 };

  /** @param first the required steps before it are done. @param ahead further ones that are. @param used of the optional ones. */
  function search(first: number, ahead: ReadonlySet<number>, used: ReadonlySet<number>, state: State): boolean {
    if (first === required.length) return true;
    const place = `${first}|${[...ahead].sort()}|${[...used].sort()}|${state}`;
    if (seen.has(place)) return false;
    seen.add(place);
    furthest.at = Math.max(furthest.at, first);
    // Nothing can come before a step that had ended when it began.
    const firstEnd = endOfWaiting(first, ahead);
    for (let at = first; at < required.length; at += 1) {
      const step = required[at];
      if (step === undefined || step.start > firstEnd) break;
      const next = ahead.has(at) ? undefined : step.apply(state);
      if (next !== undefined && search(...advance(first, ahead, at), used, next)) return true;
    }
    for (const [at, step] of optional.entries()) {
      if (step.start > firstEnd) break;
      const next = used.has(at) ? undefined : step.apply(state);
      if (next !== undefined && next !== state && search(first, ahead, new Set([...used, at]), next)) return true;
    }
    return false;
  }

  function endOfWaiting(first: number, ahead: ReadonlySet<number>): number {
    let end = Number.POSITIVE_INFINITY;
    for (let at = first; at < required.length; at += 1) {
      const step = required[at];
      if (step === undefined || step.start > end) break;
      if (!ahead.has(at)) end = Math.min(end, step.end);
    }
    return end;
  }

  return search(0, new Set(), new Set(), initial) ? undefined : required[furthest.at];
}

function advance(first: number, ahead: ReadonlySet<number>, done: number): [number, ReadonlySet<number>] {
  const rest = new Set([...ahead, done]);
  let next = first;
  while (rest.delete(next)) next += 1;
  return [next, rest];
}
