/**
 * The whole method against a small model, one command after the other, with faults, through both faces (NONCE-1 to
 * NONCE-7, ACCESS-5, LOGIN-8, TIDY-4, TAG-7, TOKEN-2, TOKEN-4).
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scaled } from '../scale.js';
import { apiCommand, beginning, faultFor, isWorldCommand, worldCommand } from './commands.js';
import { createTwins, runSequence, type SequentialStep } from './sequential-run.js';
import { createTally } from './tally.js';

const RUNS = scaled(2000);
const SEED = 20_261_121;
/** Without these a run would show little. */
const MET = [
  'login ok',
  'login document_older',
  'login nonce_mismatch',
  'login reauthentication_disabled',
  'login role_tag_deny_listed',
  'login role_tag_policy_not_in_role',
  'token lookup-self permission_denied',
  'token renew access_list_entry_missing',
  'token renew role_not_found',
  'token renew role_narrowed',
  'token renew-self ok',
  'token renew-self token_not_renewable',
  'token revoke token_not_revocable',
  'fault applied_unknown',
  'fault conflict',
  'fault lost_unknown',
  'fault read stale',
  'fault unavailable',
];

const call = apiCommand.chain((command) =>
  faultFor(command).map((fault): SequentialStep => ({ kind: 'call', command, fault })),
);
const around = worldCommand.map((command): SequentialStep => ({ kind: 'world', command }));
const steps = fc
  .tuple(
    beginning,
    fc.array(fc.oneof({ weight: 5, arbitrary: call }, { weight: 2, arbitrary: around }), {
      maxLength: 30,
      size: 'max',
    }),
  )
  .map(([first, rest]): readonly SequentialStep[] => [
    ...first.map(
      (command): SequentialStep =>
        isWorldCommand(command) ? { kind: 'world', command } : { kind: 'call', command, fault: undefined },
    ),
    ...rest,
  ]);

it(`agrees with the model in ${RUNS} runs, and so do its two faces with each other`, async () => {
  const tally = createTally();
  let worlds = await createTwins();
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      try {
        await runSequence(worlds, run, tally);
      } catch (error) {
        // What is left of a run that failed must not touch the next.
        worlds = await createTwins();
        throw error;
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
  console.log([...tally.entries()].map(([name, count]) => `${name}: ${count}`).join('\n'));
  expect([...tally.entries().keys()]).toEqual(expect.arrayContaining(MET));
}, 300_000);
