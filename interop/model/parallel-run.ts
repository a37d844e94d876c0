/**
 * Commands at the same time, through both faces of two methods on one storage: two processes. The order in which their
 * storage calls happen is fast-check's to choose, and to shrink. Whatever comes of it must be explained by some order of
 * the model's steps, and be what an operator then reads.
 */
import type { Operation, Storage } from '@postern/ports';
import type { Scheduler } from 'fast-check';
import { resolveCommand } from './answers.js';
import type { ApiCommand, Fault, WorldCommand } from './commands.js';
import { type Called, explain } from './explain.js';
import type { FaceAnswer } from './faces.js';
import { firstState, type ModelState } from './model-state.js';
import { agrees, observe, shapeOfSeen, shapeOfState } from './observe.js';
import { applyToModel, applyToWorld, learn, perform } from './perform.js';
import type { Tally } from './tally.js';
import { madeIn, resetWorld, START, underFault, type World } from './world.js';

export type ParallelStep =
  | {
      readonly kind: 'calls';
      readonly commands: readonly ApiCommand[];
      /** Of the first door's storage. */
      readonly fault: Fault | undefined;
    }
  | { readonly kind: 'world'; readonly command: WorldCommand };

export interface ParallelRun {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly tally: Tally;
  /** Wraps the memory that both methods share. */
  readonly storage?: (inner: Storage) => Storage;
}

/** @throws Error that tells the difference. */
export async function runParallel(
  { world, scheduler, tally, storage = (inner) => inner }: ParallelRun,
  steps: readonly ParallelStep[],
): Promise<void> {
  const gate = createGate(scheduler);
  await resetWorld(world, (memory) => gate.around(storage(memory)));
  let states: readonly ModelState[] = [firstState(START)];
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'world') {
      const { tags } = madeIn(world);
      applyToWorld(world, step.command);
      states = states.map((state) => applyToModel(state, step.command, tags));
      continue;
    }
    states = await runBatch(world, states, step, gate, at, tally);
  }
}

async function runBatch(
  world: World,
  states: readonly ModelState[],
  { commands, fault }: Extract<ParallelStep, { kind: 'calls' }>,
  gate: Gate,
  at: number,
  tally: Tally,
): Promise<readonly ModelState[]> {
  const resolved = commands.map((command) => resolveCommand(command, madeIn(world)));
  const doorOf = (index: number) => {
    const door = world.doors[index % world.doors.length];
    if (door === undefined) throw new TypeError('a world has doors');
    return door;
  };
  let answers: readonly FaceAnswer[] = [];
  const struck = await underFault(doorOf(0).faults, fault, async () => {
    answers = await gate.during(() => {
      return Promise.all(resolved.map((command, index) => perform(world, doorOf(index), command)));
    });
  });
  const called = resolved.map((command, index): Called => {
    const label = `c${at}.${index}`;
    const answer = learn(world, command, label, answers[index] ?? { code: 'never' });
    tally.count(command.op === 'token' ? `token ${command.act}` : command.op, answer.code);
    return { command, label, answer, exposed: index % world.doors.length === 0 };
  });
  if (struck) tally.count('fault', String(fault));
  const explained = explain(states, called, struck ? fault : undefined);
  const seen = await observe(world);
  const left = explained.filter((state) => agrees(state, seen, world));
  if (left.length > 0) return left;
  const told = called.map(({ label, command, answer }) => ({ label, command, answer }));
  throw new Error(
    `no order of the model explains ${JSON.stringify(told)}${struck ? ` under ${fault}` : ''}\n` +
      `seen     ${JSON.stringify(shapeOfSeen(seen, world))}\n` +
      `expected ${JSON.stringify(explained.map((state) => shapeOfState(state, world)))}\nbefore   ${JSON.stringify(states)}`,
  );
}

interface Gate {
  readonly around: (inner: Storage) => Storage;
  /** Lets the scheduler order what storage is asked while `act` runs. */
  during<T>(act: () => Promise<T>): Promise<T>;
}

/** Each call waits for its turn before it reaches the storage; outside of `during` none does. */
function nameOf(operation: Operation): string {
  return operation.type === 'append' ? `append ${operation.log}` : operation.key;
}

function createGate(scheduler: Scheduler): Gate {
  let open = true;
  const turn = async <T>(label: string, ask: () => Promise<T>): Promise<T> => {
    if (!open) await scheduler.schedule(Promise.resolve(), label);
    return ask();
  };
  return {
    around: (inner) => ({
      get: (...call) => turn(`get ${call[0]}`, () => inner.get(...call)),
      getMany: (...call) => turn('getMany', () => inner.getMany(...call)),
      list: (...call) => turn(`list ${call[0]}`, () => inner.list(...call)),
      listExpired: (...call) => turn(`listExpired ${call[0]}`, () => inner.listExpired(...call)),
      readLog: (...call) => turn(`readLog ${call[0]}`, () => inner.readLog(...call)),
      removeFromLog: (...call) => turn(`removeFromLog ${call[0]}`, () => inner.removeFromLog(...call)),
      commit: (...call) => turn(`commit ${call[0].map(nameOf).join()}`, () => inner.commit(...call)),
      close: () => inner.close(),
    }),
    async during(act) {
      open = false;
      try {
        return await scheduler.waitFor(act());
      } finally {
        open = true;
      }
    },
  };
}
