/** What clients asked, what they were answered, and when: all that the checks know. */

/**
 * `done`: 2xx. `refused`: an answer that says why it is not done. `unavailable`: 503 that says that nothing was done.
 * `unknown`: no answer, or one that says nobody knows.
 */
export type Outcome = 'done' | 'refused' | 'unavailable' | 'unknown';

export type Kind =
  /** Of an access-list entry: `instance`, and the nonce as `value`. A login issues a `token`, a renewal renews it. */
  | 'login'
  | 'read_entry'
  | 'delete_entry'
  | 'renew'
  /** Of a `token`. */
  | 'lookup'
  | 'revoke'
  /** Of a role or a module version, the `register`: the last text written, `value`, is what is read. */
  | 'write'
  | 'read'
  | 'tidy'
  /** Not a call: the simulated AWS ended the `instance`. */
  | 'terminate';

export interface Operation {
  readonly kind: Kind;
  readonly node: number;
  /** Milliseconds of a clock that no fault moves. */
  readonly start: number;
  readonly end: number;
  readonly outcome: Outcome;
  readonly status: number;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  readonly instance?: string | undefined;
  readonly token?: string | undefined;
  readonly register?: string | undefined;
  readonly value?: string | undefined;
  /** Of the token that was issued or renewed. */
  readonly ttlSeconds?: number | undefined;
}

export interface Violation {
  readonly at: number;
  readonly what: string;
}

/** What changes something where it is done, and so has an event. */
export const CHANGES: ReadonlySet<Kind> = new Set(['login', 'delete_entry', 'renew', 'revoke', 'write', 'tidy']);

export function groupBy(
  operations: readonly Operation[],
  key: (operation: Operation) => string | undefined,
): ReadonlyMap<string, readonly Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const name = key(operation);
    if (name === undefined) continue;
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(operation);
  }
  return groups;
}

/** For people: who is asked is enough, no token is shown. */
export function describe(operation: Operation): string {
  const { kind, node, outcome, status, code, instance, register, value, requestId } = operation;
  const subject = [instance, register, value].filter((each) => each !== undefined).join(' ');
  return `${kind} ${subject} at node ${node}: ${outcome}, ${status} ${code ?? ''} (${requestId ?? 'no request id'})`;
}
