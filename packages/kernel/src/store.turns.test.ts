import { describe, expect, it } from 'vitest';
import { createKeyedSerializer, MAX_TURN_MS } from './store.js';

describe('the serializer', () => {
  it('runs tasks of one key in order and one at a time, failures included', async () => {
    const serializer = createKeyedSerializer();
    const seen: string[] = [];
    let running = 0;
    const task =
      (name: string, fails = false) =>
      async () => {
        running += 1;
        expect(running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(name);
        running -= 1;
        if (fails) throw new TypeError(name);
        return name;
      };
    const results = await Promise.allSettled([
      serializer.run('k', task('a')),
      serializer.run('k', task('b', true)),
      serializer.run('k', task('c')),
    ]);
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('lets a task go ahead of one that hangs, once its turn has lasted too long', async () => {
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const serializer = createKeyedSerializer({ sleep });
    void serializer.run('k', () => new Promise(() => undefined));
    expect(await serializer.run('k', async () => 'done')).toBe('done');
    expect(waits).toEqual([MAX_TURN_MS]);
    expect(await serializer.run('other', async () => 'alone')).toBe('alone');
    expect(waits).toHaveLength(1);
  });

  it('does not hold up another key', async () => {
    const serializer = createKeyedSerializer();
    let release: () => void = () => undefined;
    const held = serializer.run('k', () => new Promise<void>((resolve) => (release = resolve)));
    expect(await serializer.run('other', async () => 'done')).toBe('done');
    release();
    await held;
  });
});
