/** Deaths under load (STORE-2): nothing acknowledged is ever lost. */
import { expect, it } from 'vitest';
import { scaled } from '../scale.js';
import { runCrashes } from './crash-run.js';

const KILLS = scaled(20);

it(`a server killed ${KILLS} times under login load loses no token and no access-list entry`, async () => {
  const report = await runCrashes(KILLS);
  console.log(
    `kill -9: ${report.rounds} times, ${report.acknowledged} logins acknowledged, ${report.lost.length} lost`,
  );
  expect(report.lost).toEqual([]);
  expect(report.acknowledged).toBeGreaterThanOrEqual(KILLS * 40);
  expect(report.interrupted).toBeGreaterThan(0);
}, 600_000);
