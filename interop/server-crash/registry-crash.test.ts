/** Deaths while modules are published and deprecated: nothing acknowledged is lost, nothing is half there. */
import { expect, it } from 'vitest';
import { scaled } from '../scale.js';
import { runRegistryCrashes } from './registry-crash-run.js';

const KILLS = scaled(20);

it(`a server killed ${KILLS} times under publishing and deprecating loses nothing and shows nothing half`, async () => {
  const report = await runRegistryCrashes(KILLS);
  console.log(
    `kill -9: ${report.rounds} times, ${report.published} published, ${report.deprecated} deprecated, ${report.faults.length} faults`,
  );
  expect(report.faults).toEqual([]);
  expect(report.published + report.deprecated).toBeGreaterThanOrEqual(KILLS * 40);
  expect(report.interrupted).toBeGreaterThan(0);
}, 600_000);
