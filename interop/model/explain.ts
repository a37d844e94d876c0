/**
 * Which states of the model explain what was answered? Several commands at once are explained by any order of their steps
 * (what a test of linearizability asks); a fault by striking the first commit of one of those that it could strike.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Answer, type ResolvedCommand, refused } from './answers.js';
import type { Branch } from './branch.js';
import type { Fault } from './commands.js';
import { type Step, stepsOf } from './model.js';
import type { ModelRole, ModelState } from './model-state.js';

export interface Called {
  readonly command: ResolvedCommand;
  readonly label: string;
  readonly answer: Answer;
  /** Whether the fault, if there is one, could strike this one. */
  readonly exposed: boolean;
}

interface Job extends Called {
  readonly steps: readonly Step[];
}

interface Position {
  readonly step: number;
  readonly carried: ModelRole | undefined;
  readonly done: boolean;
}

/** @param fault one that did strike. @returns the states after all of it; none where nothing explains the answers. */
export function explain(
  from: readonly ModelState[],
  calls: readonly Called[],
  fault: Fault | undefined,
): readonly ModelState[] {
  const jobs = calls.map((call): Job => {
    const rivals = calls.some(({ command, label }) => {
      return label !== call.label && command.op === 'tidy' && call.command.op === 'tidy';
    });
    return { ...call, steps: stepsOf(call.command, call.label, rivals) };
  });
  const found = new Map<string, ModelState>();
  const start = jobs.map((): Position => ({ step: 0, carried: undefined, done: false }));
  for (const state of from) walk(state, jobs, start, fault, found);
  return [...found.values()];
}

function walk(
  state: ModelState,
  jobs: readonly Job[],
  positions: readonly Position[],
  fault: Fault | undefined,
  found: Map<string, ModelState>,
): void {
  if (positions.every(({ done }) => done)) {
    // A fault that struck must have struck somebody.
    if (fault === undefined) found.set(JSON.stringify(sorted(state)), state);
    return;
  }
  for (const [at, job] of jobs.entries()) {
    const position = positions[at];
    if (position === undefined || position.done) continue;
    const take = (branch: Branch, left: Fault | undefined) => {
      if (branch.answer !== undefined && !isDeepStrictEqual(branch.answer, job.answer)) return;
      const next = { step: position.step + 1, carried: branch.carry, done: branch.answer !== undefined };
      walk(branch.state, jobs, positions.with(at, next), left, found);
    };
    if (fault?.startsWith('read') === true && job.exposed) {
      for (const branch of misread(state, fault, job)) take(branch, undefined);
    }
    for (const branch of job.steps[position.step]?.(state, position.carried) ?? []) {
      take(branch, fault === 'read stale' && job.exposed && branch.answer !== undefined ? undefined : fault);
      if (fault === undefined || !job.exposed) continue;
      const struck = branch.wrote === true ? strike(state, branch, fault) : [];
      const doomed = jobs.length > 1 ? strikeDoomed(state, branch, fault) : [];
      for (const one of [...struck, ...doomed]) take(one, undefined);
    }
  }
}

/** A commit that suffers a fault, and what is said of it. */
function strike(before: ModelState, branch: Branch, fault: Fault): readonly Branch[] {
  const notWritten = (code: string): Branch => ({ state: before, answer: refused(code) });
  switch (fault) {
    case 'unavailable':
      return [notWritten('storage_unavailable')];
    case 'lost_unknown':
      return [branch.recovers === 'both' ? branch : notWritten('storage_outcome_unknown')];
    case 'applied_unknown': {
      if (branch.recovers !== undefined) return [branch];
      const written = { state: branch.state, answer: refused('storage_outcome_unknown') };
      // The first commit of a batch login may be that of its key.
      return branch.answer?.type === 'batch' ? [written, notWritten('storage_outcome_unknown')] : [written];
    }
    case 'conflict':
    case 'duplicate':
      return [branch];
    default:
      return [];
  }
}

/**
 * Of commands at the same time, one may come to commit what another has made impossible: the fault then strikes a commit
 * that would have been refused, and nothing is written either way.
 */
function strikeDoomed(before: ModelState, branch: Branch, fault: Fault): readonly Branch[] {
  if (fault === 'unavailable') return [{ state: before, answer: refused('storage_unavailable') }];
  if (fault === 'lost_unknown') return [{ state: before, answer: refused('storage_outcome_unknown') }];
  return [branch];
}

/**
 * A read without an answer ends the command before it changed anything. A read of the past may end it with any refusal,
 * and never lets in what the present does not: that is left to the steps themselves.
 */
function misread(state: ModelState, fault: Fault, { answer }: Job): readonly Branch[] {
  if (fault === 'read unavailable') return [{ state, answer: refused('storage_unavailable') }];
  return answer.code === 'ok' ? [] : [{ state, answer }];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
