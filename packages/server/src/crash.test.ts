/** Deaths under load, a few: interop dies twenty times (STORE-2). */
import { expect, it } from 'vitest';
import { runCrashes } from '../../../interop/server-crash/crash-run.js';

it('a server killed 3 times under login load loses no token and no access-list entry', async () => {
  const report = await runCrashes(3);
  expect(report.lost).toEqual([]);
  expect(report.acknowledged).toBeGreaterThanOrEqual(3 * 40);
}, 120_000);
