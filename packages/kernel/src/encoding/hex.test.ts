import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeHex } from './hex.js';

it('encodes as Buffer does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(encodeHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
    }),
  );
});
