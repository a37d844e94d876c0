import { expect, it } from 'vitest';
import { createBoundedMap } from './bounded-map.js';

it('keeps the entries used last, and says which had to go', () => {
  const dropped: string[] = [];
  const map = createBoundedMap<string>(2, (value) => dropped.push(value));
  map.set('a', 'A');
  map.set('b', 'B');
  expect(map.get('a')).toBe('A');
  map.set('c', 'C');
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual(['A', undefined, 'C']);
  map.set('c', 'D');
  map.delete('a');
  map.delete('never');
  expect(dropped).toEqual(['B', 'C', 'A']);
  expect(map.size).toBe(1);
  map.clear();
  expect([map.size, dropped.at(-1)]).toEqual([0, 'D']);
});

it('takes the names of an object for keys like any other', () => {
  const map = createBoundedMap<number>(8);
  for (const key of ['__proto__', 'constructor', 'toString']) {
    expect(map.get(key)).toBeUndefined();
    map.set(key, 1);
    expect(map.get(key)).toBe(1);
  }
});
