import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.js';

describe('manual clock', () => {
  it('shows the same instant until it is moved', () => {
    const clock = createManualClock(1_000);
    expect([clock.now(), clock.now()]).toEqual([1_000, 1_000]);
  });

  it('advances, moves back and jumps', () => {
    const clock = createManualClock(1_000);
    clock.advance(500);
    expect(clock.now()).toBe(1_500);
    clock.advance(-1_500);
    expect(clock.now()).toBe(0);
    clock.set(9_000);
    expect(clock.now()).toBe(9_000);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1.5])('refuses %s and keeps its instant', (value) => {
    const clock = createManualClock(7);
    expect(() => clock.set(value)).toThrow(TypeError);
    expect(() => clock.advance(value)).toThrow(TypeError);
    expect(() => createManualClock(value)).toThrow(TypeError);
    expect(clock.now()).toBe(7);
  });
});
