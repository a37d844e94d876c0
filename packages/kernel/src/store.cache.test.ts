import { expect, it } from 'vitest';
import { createBoundedCache } from './store.js';

it('drops what was used longest ago beyond its bound', () => {
  const cache = createBoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([...cache.keys()].sort()).toEqual(['a', 'c']);
});

it('reserves no room for entries that it does not have', () => {
  const before = process.memoryUsage().rss;
  const caches = Array.from({ length: 200 }, () => createBoundedCache<string, number>(1_000_000));
  expect(caches).toHaveLength(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});
