/** V5: uploads are read in a thread that is ended at its limits, while the thread that answers requests goes on. */
import { rmSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleChild } from '../../../../scripts/lib/bundle-child.mjs';
import { failureOf, moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';
import { tarGz } from '../../test/tar-writer.js';
import { createThreadReader, type ThreadReader, type ThreadReaderOptions } from './thread-reader.js';

const file = fileURLToPath(new URL(`../../dist/reader-thread-${process.pid}.mjs`, import.meta.url));
const made: SetUp[] = [];
const readers: ThreadReader[] = [];

beforeAll(() => bundleChild(new URL('../reader-thread.ts', import.meta.url), file));
afterEach(async () => {
  for (const each of made.splice(0)) each.remove();
  for (const reader of readers.splice(0)) await reader.close();
});
afterAll(() => rmSync(file, { force: true }));

function start(options: ThreadReaderOptions = {}): SetUp {
  const reader = createThreadReader({ entry: pathToFileURL(file), ...options });
  const set = setUp({ reader });
  readers.push(reader);
  made.push(set);
  return set;
}

const config = (content: string) => tarGz([{ name: 'main.tf', content }]);
/** Without an error, and slow to parse: each file takes a second. */
const SLOW = tarGz(
  Array.from({ length: 15 }, (_, at) => ({ name: `f${at}.tf`, content: `a = ${'b+'.repeat(200_000)}1` })),
);

it('reads as this thread does: contents, archive and refusals with their place', async () => {
  const { publish, catalogue, leftovers } = start();
  const inThread = await publish(moduleArchive());
  const here = setUp();
  made.push(here);
  expect(inThread).toEqual(await here.publish(moduleArchive()));
  expect(await catalogue.details(NETWORK)).toEqual(inThread);
  await catalogue.delete(NETWORK);
  expect(await failureOf(publish(config('variable "x" {\n  type = \n}\n')))).toMatchObject({
    name: 'ModuleArchiveError',
    code: 'module_invalid',
    place: { path: 'main.tf', line: expect.any(Number) },
  });
  expect(await failureOf(publish(new Uint8Array(100)))).toMatchObject({ code: 'archive_unreadable' });
  expect(await leftovers()).toEqual([]);
});

describe('V5: a hostile upload', () => {
  it('is refused while this thread goes on', async () => {
    const { publish } = start({ maxReadMs: 2_000 });
    await publish(moduleArchive());
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const outcome = await failureOf(publish(SLOW, { version: { ...NETWORK, version: '2.0.0' } }));
    delay.disable();
    expect(outcome).toMatchObject({ code: 'module_too_large' });
    // Before, the parser held it for seconds.
    expect(delay.max / 1e6).toBeLessThan(500);
  });

  it.each([
    ['of exclamation marks', '!'.repeat(512 * 1024), 'module_too_large'],
    ['of brackets', '['.repeat(512 * 1024), 'module_too_large'],
    ['of garbage', '}{)(]["${'.repeat(50_000), 'module_too_large'],
    ['of words', 'a '.repeat(256 * 1024), 'module_invalid'],
  ])('%s is refused soon', async (_name, content, code) => {
    const { publish } = start();
    const files = Array.from({ length: 15 }, (_, index) => ({ name: `f${index}.tf`, content }));
    const started = performance.now();
    expect(await failureOf(publish(tarGz(files)))).toMatchObject({ code });
    // Parsing recovered from such errors for 3 to 8 seconds a file.
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  it('is ended at the time limit, and the next is read', async () => {
    const { publish, leftovers } = start({ maxReadMs: 1_000 });
    const outcome = await failureOf(publish(SLOW));
    expect(outcome).toMatchObject({ code: 'module_too_large', message: expect.stringContaining('too long') });
    expect(await leftovers()).toEqual([]);
    expect(await publish(moduleArchive())).toHaveProperty('root');
  });

  it('is ended at the memory limit, and the next is read', async () => {
    const { publish } = start({ maxHeapMiB: 12 });
    const many = Array.from({ length: 15 }, (_, index) => ({
      name: `f${index}.tf`,
      content: Array.from({ length: 9_000 }, (_v, at) => `variable "v${index}_${at}" {default=[1]}`).join('\n'),
    }));
    const outcome = await failureOf(publish(tarGz(many)));
    expect(outcome).toMatchObject({ code: 'module_too_large', message: expect.stringContaining('too much memory') });
    expect(await publish(moduleArchive())).toHaveProperty('root');
  });

  it('is ended with its request', async () => {
    const { catalogue, leftovers, publish } = start();
    const stop = new AbortController();
    const content = (async function* () {
      yield SLOW;
      setTimeout(() => stop.abort(new Error('gone')), 300);
    })();
    const call = catalogue.publish({ version: NETWORK, owner: 'ci', content }, { signal: stop.signal });
    expect(await failureOf(call)).toMatchObject({ message: 'gone' });
    expect(await leftovers()).toEqual([]);
    expect(await publish(moduleArchive())).toHaveProperty('root');
  });
});

it('refuses more uploads than may wait', async () => {
  const { publish } = start({ maxWaiting: 1 });
  const outcomes = await Promise.all(
    [0, 1, 2].map((index) =>
      failureOf(publish(moduleArchive(`v${index}`), { version: { ...NETWORK, version: `${index}.0.0` } })),
    ),
  );
  const refused = outcomes.filter((outcome) => outcome instanceof Error);
  expect(refused).toMatchObject([{ code: 'unavailable', retryAfterSeconds: 5 }]);
});

it('starts a thread again after a time without work', async () => {
  const { publish } = start({ idleMs: 1 });
  await publish(moduleArchive());
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await publish(moduleArchive('y'), { version: { ...NETWORK, version: '2.0.0' } })).toHaveProperty('root');
});

it('names a file that a bundler lost', async () => {
  const { publish } = start({ entry: new URL('file:///nowhere/reader-thread.js') });
  expect(await failureOf(publish(moduleArchive()))).toMatchObject({ code: 'misconfigured' });
});

it('reads nothing more once it is closed', async () => {
  const { publish } = start();
  await publish(moduleArchive());
  await readers[0]?.close();
  expect(await failureOf(publish(moduleArchive('y'), { version: { ...NETWORK, version: '2.0.0' } }))).toMatchObject({
    code: 'unavailable',
  });
});
