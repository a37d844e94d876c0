import { describe, expect, it } from 'vitest';
import { createUuid } from './uuid.js';

describe('a random UUID', () => {
  it('keeps every random bit but version and variant', () => {
    expect(createUuid({ bytes: (length) => new Uint8Array(length).fill(0xff) })).toBe(
      'ffffffff-ffff-4fff-bfff-ffffffffffff',
    );
    expect(createUuid({ bytes: (length) => new Uint8Array(length) })).toBe('00000000-0000-4000-8000-000000000000');
  });

  it('does not change the bytes it was given', () => {
    const bytes = new Uint8Array(16).fill(0xff);
    createUuid({ bytes: () => bytes });
    expect(bytes).toEqual(new Uint8Array(16).fill(0xff));
  });
});
