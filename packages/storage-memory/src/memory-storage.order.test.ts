import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedList } from './memory-storage.js';

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
const all = (list: SortedList<string>) => [...list.from(() => false)];

describe('sorted list', () => {
  it('agrees with a sorted set over random additions and deletions', () => {
    const step = fc.record({ add: fc.boolean(), item: fc.string({ maxLength: 2 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), fc.string({ maxLength: 2 }), (steps, start) => {
        const list = new SortedList<string>(compare);
        const model = new Set<string>();
        for (const { add, item } of steps) {
          if (add) list.add(item);
          else list.delete(item);
          if (add) model.add(item);
          else model.delete(item);
        }
        const sorted = [...model].sort(compare);
        expect(all(list)).toEqual(sorted);
        expect([...list.from((item) => item < start)]).toEqual(sorted.filter((item) => item >= start));
      }),
    );
  });

  it.each(['ascending', 'descending', 'scattered'])('stays sorted over many chunks filled in %s order', (order) => {
    const items = Array.from({ length: 5_000 }, (_, index) => {
      const place = order === 'ascending' ? index : order === 'descending' ? 4_999 - index : (index * 2_503) % 5_000;
      return String(place).padStart(4, '0');
    });
    const list = new SortedList<string>(compare);
    for (const item of items) list.add(item);
    for (const item of items) list.add(item);
    expect(all(list)).toEqual([...items].sort(compare));
    for (const item of items.slice(0, 4_990)) list.delete(item);
    expect(all(list)).toEqual(items.slice(4_990).sort(compare));
    for (const item of items) list.delete(item);
    expect(all(list)).toEqual([]);
    list.add('again');
    expect(all(list)).toEqual(['again']);
  });
});
