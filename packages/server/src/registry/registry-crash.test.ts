/** Deaths under load, a few: interop dies twelve times. */
import { expect, it } from 'vitest';
import { runRegistryCrashes } from '../../../../interop/server-crash/registry-crash-run.js';

it('a server killed 3 times under publishing and deprecating loses nothing and shows nothing half', async () => {
  const report = await runRegistryCrashes(3);
  expect(report.faults).toEqual([]);
  expect(report.published + report.deprecated).toBeGreaterThanOrEqual(3 * 40);
}, 120_000);
