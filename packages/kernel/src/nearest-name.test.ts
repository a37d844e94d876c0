import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.js';

describe('the nearest name', () => {
  it.each([
    ['bound_ami', ['bound_region', 'bound_ami_id'], 'bound_ami_id'],
    ['lsiten', ['listen', 'storage'], 'listen'],
    ['PORT', ['host', 'port'], 'port'],
    ['colour', ['bound_ami_id', 'ttl'], undefined],
    ['x', [], undefined],
  ])('to %s among %j is %s', (given, known, nearest) => {
    expect(nearestName(given, known)).toBe(nearest);
  });
});
