/** A short run of `npm run chaos`: so that the command works on the day somebody needs it, and a clock that jumps is seen by CI. */
import { expect, it } from 'vitest';
import { dynamodbUnderChaos } from './dynamodb-under-chaos.js';
import { postgresUnderChaos } from './postgres-under-chaos.js';
import { runChaos } from './run.js';

const LASTS_MS = 3_000;

it.each([
  ['PostgreSQL', postgresUnderChaos, ['PostgreSQL killed', 'link torn', 'clock + 65 min']],
  ['DynamoDB', dynamodbUnderChaos, ['answers lost', 'node killed', 'clock + 65 min']],
] as const)('three nodes on %s keep every promise through a few faults', async (_name, storage, only) => {
  const { table, violations } = await runChaos({ storage, only, lastsMs: LASTS_MS, seconds: 14, seed: 1 });
  console.log(table);
  expect(violations.map(({ what }) => what)).toEqual([]);
});
