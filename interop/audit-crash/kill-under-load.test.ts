/**
 * AUDIT-6 under SIGKILL: no effect without its event, no event lost, none written twice.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '@postern/internal';
import { verifyAudit } from '@postern/server/command';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleChild } from '../../scripts/lib/bundle-child.mjs';
import { IS_FULL } from '../scale.js';
import { openCrashWorld } from './world.js';

const KILLS = IS_FULL ? 200 : 12;
/** Unlike each other, so that the kill falls into every step of commit, feeding and removal. */
const pauseOf = (round: number) => 5 + ((round * 37) % 151);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const script = fileURLToPath(new URL(`../node_modules/.audit-child-${process.pid}.mjs`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'postern-audit-crash-'));

beforeAll(() => bundleChild(new URL('./child.ts', import.meta.url), script));
afterAll(() => {
  rmSync(script, { force: true });
  rmSync(folder, { recursive: true });
});

it(`tells every change once over ${KILLS} kills`, async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const child = startChild(script, [folder, String(round)]);
    await child.said(3);
    await pause(pauseOf(round));
    await child.kill();
    acknowledged.push(...child.lines().slice(1));
  }

  const world = await openCrashWorld(folder);
  const roles: string[] = [];
  // A page at a time: over 200 kills there are more roles than one answer lists.
  for (let size = -1; roles.length > size; ) {
    size = roles.length;
    roles.push(...(await world.method.roles.list({ after: roles.at(-1) ?? '' })).data.keys);
  }
  await world.close();
  const events = readFileSync(join(folder, 'audit.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { operation: string; details?: { role?: string } });
  const told = events.filter(({ operation }) => operation === 'role.write').map(({ details }) => details?.role ?? '');
  expect([...told].sort()).toEqual([...roles].sort());
  expect(roles).toEqual(expect.arrayContaining(acknowledged));
  expect(acknowledged.length).toBeGreaterThan(KILLS * 3);

  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  expect([await verifyAudit([join(folder, 'audit.log')], { printOut: print, printError: print }), printed]).toEqual([
    0,
    [expect.stringMatching(/^\d+ events, lines 1 to \d+ of the log/)],
  ]);
}, 600_000);
