/**
 * Access-list entries (NONCE-3, ACCESS-4, ACCESS-6, TIDY-10) and registers (roles, module versions): each object's history must
 * be one that a single server, one call after the other, could have given.
 */
import { describe, groupBy, type Operation, type Violation } from './history.js';
import { firstImpossible, type State, type Step } from './linearizable.js';

const ABSENT: State = '';

/** No instance is admitted under two nonces, no entry is lost, none that was deleted comes back. */
export function checkEntries(operations: readonly Operation[]): readonly Violation[] {
  return check(
    groupBy(operations, ({ instance }) => instance),
    entryStep,
    (instance, at) => {
      return `the access list is not explained by any order of the calls about ${instance}: ${at}`;
    },
  );
}

/** What is read is what was written last. */
export function checkRegisters(operations: readonly Operation[]): readonly Violation[] {
  const seen = new Set(
    operations.flatMap(({ kind, register, value }) => (kind === 'read' ? `${register} ${value}` : [])),
  );
  const ofRegisters = operations.filter(({ kind, outcome, register, value = ABSENT }) => {
    // What nobody knows of and nobody read explains nothing, and doubles the orders to try.
    const isIdle = kind === 'write' && outcome === 'unknown' && !seen.has(`${register} ${value}`);
    return (kind === 'write' || kind === 'read') && !isIdle;
  });
  return check(
    groupBy(ofRegisters, ({ register }) => register),
    registerStep,
    (register, at) => {
      return `${register} is not explained by any order of its calls: ${at}`;
    },
  );
}

function check(
  groups: ReadonlyMap<string, readonly Operation[]>,
  stepOf: (operation: Operation) => Step | undefined,
  say: (name: string, at: string) => string,
): readonly Violation[] {
  return [...groups].flatMap(([name, group]) => {
    const of = new Map(
      group.flatMap((operation) => {
        const step = stepOf(operation);
        return step === undefined ? [] : [[step, operation] as const];
      }),
    );
    const impossible = firstImpossible([...of.keys()], ABSENT);
    const operation = impossible && of.get(impossible);
    return operation === undefined ? [] : [{ at: operation.end, what: say(name, describe(operation)) }];
  });
}

function entryStep(operation: Operation): Step | undefined {
  const { kind, outcome, status, code, value = '?' } = operation;
  switch (kind) {
    case 'login': {
      const admitted = (state: State) => (state === ABSENT || state === value ? value : undefined);
      if (outcome === 'done') return step(operation, admitted);
      if (outcome === 'unknown') return step(operation, admitted, true);
      if (code !== 'nonce_mismatch') return undefined;
      return step(operation, (state) => (state !== ABSENT && state !== value ? state : undefined));
    }
    case 'delete_entry':
      if (outcome !== 'done' && outcome !== 'unknown') return undefined;
      return step(operation, () => ABSENT, outcome === 'unknown');
    // Of an instance that was terminated: tidying may remove its entry once it has expired.
    case 'terminate':
      return step(operation, () => ABSENT, true);
    case 'read_entry':
    case 'renew': {
      if (outcome === 'done') return step(operation, (state) => (state === ABSENT ? undefined : state));
      const missing = code === 'access_list_entry_missing' || status === 404;
      return missing ? step(operation, (state) => (state === ABSENT ? state : undefined)) : undefined;
    }
    default:
      return undefined;
  }
}

function registerStep(operation: Operation): Step | undefined {
  const { kind, outcome, value = ABSENT } = operation;
  if (kind === 'read') {
    return outcome === 'done' ? step(operation, (state) => (state === value ? state : undefined)) : undefined;
  }
  if (outcome !== 'done' && outcome !== 'unknown') return undefined;
  return step(operation, () => value, outcome === 'unknown');
}

function step({ start, end }: Operation, apply: Step['apply'], optional = false): Step {
  return { start, end, apply, optional };
}
