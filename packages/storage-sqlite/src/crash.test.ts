/** Durability: a process killed in the middle of load has lost nothing it acknowledged, and nothing is half applied. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startChild } from '@postern/internal';
import { checkCrashLoad } from '@postern/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleChild } from '../../../scripts/lib/bundle-child.mjs';
import { temporaryFolder } from '../test/temporary-folder.js';
import { openSqliteStorage } from './sqlite-storage.js';

const ROUNDS = 8;
/** Pauses before the kill, unlike each other so that it falls into different moments of a flush and of a checkpoint. */
const pauseOf = (round: number) => 40 + ((round * 137) % 331);

// Beside this package's sources, where the bundle finds the SQLite driver as an installed package does.
const script = fileURLToPath(new URL(`../node_modules/.child-${process.pid}.mjs`, import.meta.url));
const folder = temporaryFolder();

beforeAll(() => bundleChild(new URL('../test/child.ts', import.meta.url), script));
afterAll(() => {
  rmSync(script, { force: true });
  folder.remove();
});

describe('SQLite storage killed with SIGKILL under load', () => {
  it(`keeps every acknowledged commit whole over ${ROUNDS} kills of one database`, async () => {
    const file = folder.path('load.db');
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = startChild(script, ['load', file, `r${round}`]);
      await child.said(10);
      await new Promise((resolve) => setTimeout(resolve, pauseOf(round)));
      await child.kill();
      acknowledged.push(...child.lines().slice(1));

      const storage = await openSqliteStorage({ file, lockWaitMs: 0 });
      const held = await checkCrashLoad(storage, acknowledged);
      expect(held).toBeGreaterThanOrEqual(acknowledged.length);
      // No version that was ever acknowledged may be given out again.
      const { versions } = await storage.commit([{ type: 'put', key: 'next', value: 'v', if: 'any' }]);
      const given = new Set(acknowledged.flatMap((line) => line.split(' ').slice(1)));
      expect(given.has(String(versions[0]))).toBe(false);
      await storage.close();
    }
    expect(acknowledged.length).toBeGreaterThan(ROUNDS * 10);
  }, 60_000);
});

describe('SQLite storage and a second process', () => {
  it('is refused to it while open, with the file and the remedy named, and free again after SIGKILL', async () => {
    const file = folder.path('shared.db');
    const holder = startChild(script, ['hold', file]);
    await holder.said(1);
    expect(holder.lines()).toEqual(['open']);

    const refused = await openSqliteStorage({ file, lockWaitMs: 100 }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'SqliteOpenError', code: 'in_use', file });
    const rival = startChild(script, ['hold', file]);
    await rival.said(1);
    const [answer = ''] = rival.lines();
    expect(answer.startsWith('refused in_use ')).toBe(true);
    expect(answer).toContain(file);

    await holder.kill();
    const storage = await openSqliteStorage({ file, lockWaitMs: 0 });
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'absent' }]);
    await storage.close();
  });

  it('is given to exactly one of several that start at once', async () => {
    const file = folder.path('race.db');
    const children = Array.from({ length: 4 }, () => startChild(script, ['wait', file]));
    await Promise.all(children.map((child) => child.said(1)));
    const answers = children.map((child) => child.lines()[0]?.split(' ').slice(0, 2).join(' '));
    expect(answers.filter((answer) => answer === 'open')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'refused in_use')).toHaveLength(3);
    await Promise.all(children.map((child) => child.kill()));
  });
});
