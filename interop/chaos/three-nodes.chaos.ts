/**
 * `npm run chaos`: three nodes, one storage, and every fault again and again. CHAOS_STORAGE=dynamodb chooses another than PostgreSQL,
 * CHAOS_SECONDS and CHAOS_SEED set how long and which.
 */
import { expect, it } from 'vitest';
import { dynamodbUnderChaos } from './dynamodb-under-chaos.js';
import { postgresUnderChaos } from './postgres-under-chaos.js';
import { runChaos } from './run.js';

const seconds = Number(process.env['CHAOS_SECONDS'] ?? 600);
const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const storages = { postgres: postgresUnderChaos, dynamodb: dynamodbUnderChaos } as const;
const name = process.env['CHAOS_STORAGE'] ?? 'postgres';

it('three nodes keep every promise through every fault', async () => {
  if (name !== 'postgres' && name !== 'dynamodb') throw new Error('CHAOS_STORAGE: expected postgres or dynamodb');
  const storage = storages[name];
  console.log(`chaos on ${name} for ${seconds} s; CHAOS_SEED=${seed} repeats the order of the faults`);
  const { table, violations, acknowledged, folder } = await runChaos({ storage, seconds, seed });
  console.log(`\n${table}\n\n${acknowledged} operations acknowledged, ${violations.length} violations`);
  for (const { at, what } of violations.slice(0, 50)) console.log(`${(at / 1000).toFixed(1)} s: ${what}`);
  if (folder !== undefined) console.log(`histories and logs are in ${folder}`);
  expect(violations.length).toBe(0);
  expect(acknowledged).toBeGreaterThan(seconds);
});
