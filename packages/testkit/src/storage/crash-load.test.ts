/** The crash check must see what it is there to see: a lost commit, a torn one, a wrong version. */
import { createMemoryStorage } from '@postern/storage-memory';
import { expect, it } from 'vitest';
import { checkCrashLoad, runCrashLoad } from './crash-load.js';

async function loaded() {
  const storage = createMemoryStorage();
  const lines: string[] = [];
  const stop = new Error('enough');
  await runCrashLoad(storage, 'r', (line) => {
    // Every caller ends at its next acknowledgement: in memory nothing else would make them stop.
    if (lines.length === 300) throw stop;
    lines.push(line);
  }).catch((error: unknown) => {
    if (error !== stop) throw error;
  });
  return { storage, lines };
}

it('accepts a storage that kept everything, with commits beyond the acknowledged', async () => {
  const { storage, lines } = await loaded();
  expect(await checkCrashLoad(storage, lines.slice(0, 200))).toBeGreaterThanOrEqual(300);
});

it.each([0, 1, 3])('sees a commit of which part %d is lost', async (part) => {
  const { storage, lines } = await loaded();
  const name = lines[100]?.split(' ')[0];
  await storage.commit([{ type: 'delete', key: `crash/${name}/${part}`, if: 'present' }]);
  await expect(checkCrashLoad(storage, [])).rejects.toThrow(/half applied/);
});

it('sees an acknowledged commit that is lost as a whole', async () => {
  const { storage, lines } = await loaded();
  const name = lines[100]?.split(' ')[0];
  for (const part of [0, 1, 2, 3]) {
    await storage.commit([{ type: 'delete', key: `crash/${name}/${part}`, if: 'present' }]);
  }
  await expect(checkCrashLoad(storage, lines)).rejects.toThrow(/lost/);
});

it('sees a version other than the acknowledged', async () => {
  const { storage, lines } = await loaded();
  const key = `crash/${lines[100]?.split(' ')[0]}/2`;
  const value = (await storage.get(key))?.value ?? '';
  await storage.commit([{ type: 'put', key, value, if: 'present' }]);
  await expect(checkCrashLoad(storage, lines)).rejects.toThrow();
});
