/**
 * Two processes on one storage, driven at once: what they answer is what some order would have answered (LOGIN-8, TIDY-5,
 * TOKEN-4, THREAT-31).
 */
import type { Storage } from '@postern/ports';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scaled } from '../scale.js';
import { apiCommand, beginning, commitFault, isWorldCommand, worldCommand } from './commands.js';
import { type ParallelStep, runParallel } from './parallel-run.js';
import { createTally } from './tally.js';
import { createWorld } from './world.js';

const RUNS = scaled(2000);
const SEED = 20_261_121;
/** Without these a run would show little. */
const MET = [
  'login ok',
  'login nonce_mismatch',
  'login role_tag_deny_listed',
  'token renew-self ok',
  'token renew-self token_not_found',
  'token lookup-self permission_denied',
  'fault applied_unknown',
  'fault lost_unknown',
];

const createPair = () => createWorld({ faces: ['process', 'http'], seed: 'pair' });

const batch = fc.array(apiCommand, { minLength: 2, maxLength: 3 }).chain((commands) => {
  // The second commit of a sweep has no order of its own to be explained by.
  const sweeps = commands.some(({ op }) => op === 'tidy');
  const fault = sweeps ? fc.constant(undefined) : fc.oneof(fc.constant(undefined), fc.constant(undefined), commitFault);
  return fault.map((struck): ParallelStep => ({ kind: 'calls', commands, fault: struck }));
});
const around = worldCommand.map((command): ParallelStep => ({ kind: 'world', command }));
const steps = fc
  .tuple(
    beginning,
    fc.array(fc.oneof({ weight: 3, arbitrary: batch }, { weight: 1, arbitrary: around }), {
      maxLength: 10,
      size: 'max',
    }),
  )
  .map(([first, rest]): readonly ParallelStep[] => [
    ...first.map(
      (command): ParallelStep =>
        isWorldCommand(command) ? { kind: 'world', command } : { kind: 'calls', commands: [command], fault: undefined },
    ),
    ...rest,
  ]);

it(`${RUNS} runs of commands at the same time are each explained by an order of the model`, async () => {
  const tally = createTally();
  let world = await createPair();
  await fc.assert(
    fc.asyncProperty(steps, fc.scheduler(), async (run, scheduler) => {
      try {
        await runParallel({ world, scheduler, tally }, run);
      } catch (error) {
        // What is left of a run that failed must not touch the next.
        world = await createPair();
        throw error;
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
  console.log([...tally.entries()].map(([name, count]) => `${name}: ${count}`).join('\n'));
  expect([...tally.entries().keys()]).toEqual(expect.arrayContaining(MET));
}, 300_000);

it('a storage that forgets conditions is found out', async () => {
  const world = await createPair();
  const forgetful = (inner: Storage): Storage => ({
    get: (...call) => inner.get(...call),
    getMany: (...call) => inner.getMany(...call),
    list: (...call) => inner.list(...call),
    listExpired: (...call) => inner.listExpired(...call),
    readLog: (...call) => inner.readLog(...call),
    removeFromLog: (...call) => inner.removeFromLog(...call),
    commit: (operations, options) => {
      const writes = operations.filter(({ type }) => type !== 'check');
      return inner.commit(
        writes.map((write) => ({ ...write, if: 'any' })),
        options,
      );
    },
    close: () => inner.close(),
  });
  const found = await fc.check(
    fc.asyncProperty(steps, fc.scheduler(), (run, scheduler) => {
      return runParallel({ world, scheduler, tally: createTally(), storage: forgetful }, run);
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  );
  expect(found.failed).toBe(true);
});
