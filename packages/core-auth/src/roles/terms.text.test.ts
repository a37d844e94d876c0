import { describe, expect, it } from 'vitest';
import { formatDuration } from './terms.js';

describe('a duration in metadata', () => {
  it.each([
    [0, '0s'],
    [59, '59s'],
    [60, '1m0s'],
    [300, '5m0s'],
    [3600, '1h0m0s'],
    [7200, '2h0m0s'],
    [3661, '1h1m1s'],
    [1_800_000, '500h0m0s'],
  ])('%d seconds reads %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
