/** Durability (STORE-2): what was acknowledged is there, whole, after the death of the process. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startChild } from '@postern/internal';
import { createDynamoTable, openDynamoStorage } from '@postern/storage-dynamodb';
import { checkCrashLoad } from '@postern/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleChild } from '../../scripts/lib/bundle-child.mjs';
import { clientOf, type DynamoLocal, startDynamoLocal } from './dynamodb-local.js';

const KILLS = 3;
const pauseOf = (round: number) => 60 + ((round * 137) % 331);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** A commit that was sent when the process died ends by itself, and a list could see the half of it. */
const ENDED_WITHIN_MS = 500;

const script = fileURLToPath(new URL(`../node_modules/.dynamodb-child-${process.pid}.mjs`, import.meta.url));
let local: DynamoLocal;
let client: DynamoDBClient;

beforeAll(async () => {
  await bundleChild(new URL('./child.ts', import.meta.url), script);
  local = await startDynamoLocal();
  client = clientOf(local.endpoint);
});
afterAll(async () => {
  rmSync(script, { force: true });
  client.destroy();
  await local.stop();
});

it(`keeps every acknowledged commit whole over ${KILLS} kills of the process`, async () => {
  await createDynamoTable({ table: 'crash', client });
  const storage = await openDynamoStorage({ table: 'crash', client });
  const acknowledged: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const child = startChild(script, [local.endpoint, 'crash', `r${round}`]);
    await child.said(10);
    await pause(pauseOf(round));
    await child.kill();
    acknowledged.push(...child.lines().slice(1));
    await pause(ENDED_WITHIN_MS);
    expect(await checkCrashLoad(storage, acknowledged)).toBeGreaterThanOrEqual(acknowledged.length);
  }
  expect(acknowledged.length).toBeGreaterThan(KILLS * 9);
  await storage.close();
});
