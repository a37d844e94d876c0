/** The memory is bounded in number and in time, and a use keeps an entry. */
import { createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createLruCache } from './lru-cache.js';

describe('a bounded memory', () => {
  const make = (maxEntries: number) => {
    const clock = createManualClock(0);
    return { clock, cache: createLruCache(clock, { maxEntries, maxIdleMs: 100 }) };
  };

  it('forgets what was used least recently', () => {
    const { cache } = make(2);
    cache.set('a', '1');
    cache.set('b', '2');
    expect(cache.get('a')).toBe('1');
    cache.set('c', '3');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['1', undefined, '3']);
    expect(cache.size).toBe(2);
  });

  it('forgets what nobody asked for in time, and keeps what is asked for', () => {
    const { cache, clock } = make(2);
    cache.set('a', '1');
    cache.set('b', '2');
    for (let at = 0; at < 5; at += 1) {
      clock.advance(99);
      expect(cache.get('a')).toBe('1');
    }
    expect(cache.get('b')).toBeUndefined();
    clock.advance(100);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it('stays within its bound whatever is put into it', () => {
    const { cache } = make(10);
    for (let at = 0; at < 1000; at += 1) cache.set(`key ${at}`, `${at}`);
    expect(cache.size).toBe(10);
    expect(cache.get('key 999')).toBe('999');
  });
});
