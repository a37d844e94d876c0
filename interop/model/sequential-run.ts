/**
 * One command after the other, through both faces on two worlds of the same seed: both must answer word for word the same,
 * as the model says, and leave the same bytes in their storages and the same audit trail.
 */
import { isDeepStrictEqual } from 'node:util';
import { resolveCommand } from './answers.js';
import type { ApiCommand, Fault, WorldCommand } from './commands.js';
import { explain } from './explain.js';
import type { FaceAnswer } from './faces.js';
import { firstState, type ModelState } from './model-state.js';
import { agrees, OBSERVER, observe, shapeOfSeen, shapeOfState } from './observe.js';
import { applyToModel, applyToWorld, learn, perform } from './perform.js';
import type { Tally } from './tally.js';
import { createWorld, madeIn, resetWorld, START, underFault, type World } from './world.js';

export type SequentialStep =
  | { readonly kind: 'call'; readonly command: ApiCommand; readonly fault: Fault | undefined }
  | { readonly kind: 'world'; readonly command: WorldCommand };

/** Both draw the same randomness in the same order. */
export async function createTwins(): Promise<readonly [World, World]> {
  return [
    await createWorld({ faces: ['process'], seed: 'twin' }),
    await createWorld({ faces: ['http'], seed: 'twin' }),
  ];
}

/** @throws Error that tells the difference. */
export async function runSequence(
  worlds: readonly [World, World],
  steps: readonly SequentialStep[],
  tally: Tally,
): Promise<void> {
  for (const world of worlds) await resetWorld(world);
  let states: readonly ModelState[] = [firstState(START)];
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'world') {
      const { tags } = madeIn(worlds[0]);
      for (const world of worlds) applyToWorld(world, step.command);
      states = states.map((state) => applyToModel(state, step.command, tags));
      continue;
    }
    states = await runCall(worlds, states, step.command, step.fault, `c${at}`, tally);
  }
  await compareRemains(worlds);
}

async function runCall(
  worlds: readonly [World, World],
  states: readonly ModelState[],
  command: ApiCommand,
  fault: Fault | undefined,
  label: string,
  tally: Tally,
): Promise<readonly ModelState[]> {
  const [inProcess, overHttp] = worlds;
  const resolved = resolveCommand(command, madeIn(inProcess));
  const results: { answer: FaceAnswer; struck: boolean }[] = [];
  const commitsBefore = inProcess.commits();
  for (const world of worlds) {
    const [door] = world.doors;
    if (door === undefined) throw new TypeError('a world has a door');
    let answer: FaceAnswer = { code: 'never' };
    const struck = await underFault(door.faults, fault, async () => {
      answer = await perform(world, door, resolved);
    });
    results.push({ answer, struck });
  }
  if (!isDeepStrictEqual(results[0], results[1])) {
    throw new Error(`the faces differ at ${show(resolved)}:\n${show(results[0])}\n${show(results[1])}`);
  }
  const { answer, struck } = results[0] ?? { answer: { code: 'never' }, struck: false };
  const told = learn(inProcess, resolved, label, answer);
  learn(overHttp, resolved, label, answer);
  tally.count(resolved.op === 'token' ? `token ${resolved.act}` : resolved.op, told.code, struck ? fault : undefined);

  const called = { command: resolved, label, answer: told, exposed: true };
  const explained = explain(states, [called], struck ? fault : undefined);
  // Nothing was written, and nothing should have been: what was seen last still stands.
  const still = inProcess.commits() === commitsBefore && explained.every((state) => states.includes(state));
  if (still && explained.length > 0) return explained;
  const seen = await observe(inProcess);
  const left = explained.filter((state) => agrees(state, seen, inProcess));
  if (left.length > 0) return left;
  const expected = explained.map((state) => shapeOfState(state, inProcess));
  throw new Error(
    `the model does not explain ${label} ${show(resolved)}${struck ? ` under ${fault}` : ''}: answered ${show(told)}\n` +
      `seen     ${show(shapeOfSeen(seen, inProcess))}\nexpected ${show(expected)}\nbefore   ${show(states)}`,
  );
}

/** Two worlds of one seed drew the same randomness: every byte must be the same. */
async function compareRemains([left, right]: readonly [World, World]): Promise<void> {
  const dump = async ({ memory }: World) =>
    (await memory.list('postern/', { limit: 1000, values: true })).items.map(({ record }) => [
      record?.key,
      record?.value,
      record?.expiresAt,
    ]);
  if (!isDeepStrictEqual(await dump(left), await dump(right))) throw new Error('the storages differ');
  // Only one of the worlds is observed, which takes numbers of its trail; refusals come before or after the groups of changes.
  const trail = ({ events }: World) =>
    events
      .filter(({ requestId }) => requestId !== OBSERVER)
      // Of refusals of strangers one a second stands for all (AUDIT-9): which one is a matter of time.
      .filter(({ reason }) => reason !== 'token_unknown')
      .map(({ id: _id, ...event }) => JSON.stringify(event))
      .sort();
  if (!isDeepStrictEqual(trail(left), trail(right))) throw new Error('the audit trails differ');
}

function show(value: unknown): string {
  return JSON.stringify(value);
}
