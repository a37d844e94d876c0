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

/** How far an order is. */
interface Place {
  /** The required steps before it are done. */
  readonly first: number;
  /** Further ones that are. */
  readonly ahead: ReadonlySet<number>;
  /** Of the optional ones. */
  readonly used: ReadonlySet<number>;
  readonly state: State;
}

/** @returns the first step that no order explains; undefined where there is an order. */
export function firstImpossible(steps: readonly Step[], initial: State): Step | undefined {
  const required = steps.filter(({ optional }) => optional !== true).sort((a, b) => a.start - b.start);
  const optional = steps.filter((step) => step.optional === true).sort((a, b) => a.start - b.start);
  const seen = new Set<string>();
  let furthest = 0;
  // Not by recursion: a history of thousands of calls is as deep.
  const places: Place[] = [{ first: 0, ahead: new Set(), used: new Set(), state: initial }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { first, ahead, used, state } = place;
    if (first === required.length) return undefined;
    const name = `${first}|${[...ahead].sort()}|${[...used].sort()}|${state}`;
    if (seen.has(name)) continue;
    seen.add(name);
    furthest = Math.max(furthest, first);
    // Nothing can come before a step that had ended when it began.
    const firstEnd = endOfWaiting(first, ahead);
    const next: Place[] = [];
    for (let at = first; at < required.length; at += 1) {
      const step = required[at];
      if (step === undefined || step.start > firstEnd) break;
      const after = ahead.has(at) ? undefined : step.apply(state);
      if (after !== undefined) next.push({ ...advance(first, ahead, at), used, state: after });
    }
    for (const [at, step] of optional.entries()) {
      if (step.start > firstEnd) break;
      const after = used.has(at) ? undefined : step.apply(state);
      if (after !== undefined && after !== state)
        next.push({ first, ahead, used: new Set([...used, at]), state: after });
    }
    // The likeliest first: in the order of their starts, and what may never have happened last.
    places.push(...next.reverse());
  }
  return required[furthest];

  function endOfWaiting(first: number, ahead: ReadonlySet<number>): number {
    let end = Number.POSITIVE_INFINITY;
    for (let at = first; at < required.length; at += 1) {
      const step = required[at];
      if (step === undefined || step.start > end) break;
      if (!ahead.has(at)) end = Math.min(end, step.end);
    }
    return end;
  }
}

function advance(first: number, ahead: ReadonlySet<number>, done: number): Pick<Place, 'first' | 'ahead'> {
  const rest = new Set([...ahead, done]);
  let next = first;
  while (rest.delete(next)) next += 1;
  return { first: next, ahead: rest };
}
