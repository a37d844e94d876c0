/** Twenty deaths under load (STORE-2): nothing acknowledged is ever lost. */
import { expect, it } from 'vitest';
import { runCrashes } from './crash-run.js';

it('a server killed 20 times under login load loses no token and no access-list entry', async () => {
  const report = await runCrashes(20);
  console.log(
    `kill -9: ${report.rounds} times, ${report.acknowledged} logins acknowledged, ${report.lost.length} lost`,
  );
  expect(report.lost).toEqual([]);
  expect(report.acknowledged).toBeGreaterThanOrEqual(20 * 40);
  expect(report.interrupted).toBeGreaterThan(0);
}, 600_000);
