import * as asn1js from 'asn1js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indefinite, integer, octetString, oid, sequence, sortedForDer, TAG, time } from './der-builder.js';

const read = (bytes: Uint8Array) => asn1js.fromBER(Uint8Array.from(bytes).buffer);

describe('the DER builder', () => {
  it('writes lengths in the shortest form', () => {
    for (const [length, head] of [
      [0, [0x04, 0x00]],
      [127, [0x04, 0x7f]],
      [128, [0x04, 0x81, 0x80]],
      [255, [0x04, 0x81, 0xff]],
      [256, [0x04, 0x82, 0x01, 0x00]],
      [65_536, [0x04, 0x83, 0x01, 0x00, 0x00]],
    ] as const) {
      const written = octetString(new Uint8Array(length));
      expect([...written.subarray(0, head.length)]).toEqual([...head]);
      expect(written.length).toBe(head.length + length);
    }
  });

  it('writes octet strings that asn1js reads back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
        const { result, offset } = read(octetString(content));
        if (!(result instanceof asn1js.OctetString)) throw new Error('not an octet string');
        expect(new Uint8Array(result.getValue())).toEqual(content);
        expect(offset).toBe(octetString(content).length);
      }),
    );
  });

  it('writes integers as minimal non-negative numbers', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
        const { result } = read(integer(bytes));
        if (!(result instanceof asn1js.Integer)) throw new Error('not an integer');
        expect(result.toBigInt()).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
        const [, , first = 0, second = 0] = integer(bytes);
        expect(first === 0 && integer(bytes).length > 3 && second < 0x80).toBe(false);
      }),
    );
  });

  it('writes object identifiers that asn1js reads back', () => {
    const arc = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 39 }), fc.array(arc), (a, b, rest) => {
        const dotted = [a, b, ...rest].join('.');
        const { result } = read(oid(dotted));
        if (!(result instanceof asn1js.ObjectIdentifier)) throw new Error('not an object identifier');
        expect(result.valueBlock.toString()).toBe(dotted);
      }),
    );
  });

  it.each([
    ['1950-01-01T00:00:00Z', TAG.utcTime, '500101000000Z'],
    ['2026-02-16T00:38:28Z', TAG.utcTime, '260216003828Z'],
    ['2049-12-31T23:59:59Z', TAG.utcTime, '491231235959Z'],
    ['2050-01-01T00:00:00Z', TAG.generalizedTime, '20500101000000Z'],
    ['1949-12-31T23:59:59Z', TAG.generalizedTime, '19491231235959Z'],
  ])('writes %s in the type of its century', (instant, tag, text) => {
    const written = time(Date.parse(instant));
    expect([written[0], new TextDecoder().decode(written.subarray(2))]).toEqual([tag, text]);
  });

  it('ends an indefinite length with two zero bytes', () => {
    expect([...indefinite(TAG.sequence, integer(1))]).toEqual([0x30, 0x80, 0x02, 0x01, 0x01, 0x00, 0x00]);
  });

  it('sorts a SET OF by encoding, shorter first where one begins the other', () => {
    const items = [Uint8Array.of(2, 1), Uint8Array.of(1, 9), Uint8Array.of(1), sequence()];
    expect(sortedForDer(items).map((item) => [...item])).toEqual([[1], [1, 9], [2, 1], [0x30, 0]]);
  });
});
