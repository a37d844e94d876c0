/** A short run of `npm run chaos`: so that the command works on the day somebody needs it, and a clock that jumps is seen by CI. */
import { expect, it } from 'vitest';
import { FAULTS } from './faults.js';
import { runChaos } from './run.js';

const SHORT = ['PostgreSQL killed', 'link torn', 'clock + 65 min'];
const LASTS_MS = 3_000;

it('three nodes keep every promise through a few faults', async () => {
  const faults = FAULTS.filter(({ name }) => SHORT.includes(name)).map((each) => ({ ...each, lastsMs: LASTS_MS }));
  expect(faults).toHaveLength(SHORT.length);
  const { table, violations } = await runChaos({ faults, seconds: 14, seed: 1 });
  console.log(table);
  expect(violations.map(({ what }) => what)).toEqual([]);
});
