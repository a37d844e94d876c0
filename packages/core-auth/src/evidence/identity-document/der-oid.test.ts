import { expect, it } from 'vitest';
import { encodeOid, equalBytes } from './der-oid.js';

it.each([
  ['1.2.840.113549.1.7.2', '2a864886f70d010702'],
  ['2.16.840.1.101.3.4.2.1', '608648016503040201'],
  ['1.3.14.3.2.26', '2b0e03021a'],
  ['1.2.840.10040.4.3', '2a8648ce380403'],
])('%s has the content octets %s', (dotted, hex) => {
  expect(Buffer.from(encodeOid(dotted)).toString('hex')).toBe(hex);
});

it.each([
  [[], [], true],
  [[1, 2], [1, 2], true],
  [[1, 2], [1, 3], false],
  [[1, 2], [1], false],
  [[1], [1, 2], false],
])('%j and %j are equal: %s', (a, b, equal) => {
  expect(equalBytes(Uint8Array.from(a), Uint8Array.from(b))).toBe(equal);
});
