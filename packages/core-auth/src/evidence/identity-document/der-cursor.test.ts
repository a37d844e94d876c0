/** The strict BER cursor (DOC-8, cases p7-014 to p7-020, THREAT-6). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../test/refusal.js';
import { isAuthError } from '../../errors.js';
import { MAX_DEPTH } from './cms-limits.js';
import { DerCursor, TAG } from './der-cursor.js';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

describe('an element of indefinite length', () => {
  it('reads as its definite form would (p7-014)', () => {
    for (const hex of ['30 80 02 01 01 00 00', '30 03 02 01 01']) {
      const cursor = new DerCursor(bytes(hex));
      cursor.enterBer(TAG.sequence);
      expect(cursor.peek()).toBe(TAG.integer);
      expect([...cursor.content(TAG.integer)]).toEqual([1]);
      expect(cursor.atEnd()).toBe(true);
      expect(cursor.peek()).toBe(-1);
      cursor.leave();
      expect(cursor.atEnd()).toBe(true);
    }
  });

  it.each([
    ['30 85', 'ber_length_too_long', 'p7-015'],
    ['30 ff', 'ber_length_too_long', 'reserved length octet'],
    ['30 82 00 80', 'ber_length_not_minimal', 'p7-016 leading zero'],
    ['30 81 7f', 'ber_length_not_minimal', 'long form of a short length'],
    ['30 84 ff ff ff ff', 'ber_length_beyond_data', 'p7-017 negative in 32 bits'],
    ['30 80 01 02 01 02', 'ber_unexpected_element', 'p7-018 unterminated'],
    ['30 80', 'ber_truncated', 'unterminated and empty'],
    ['30 80 00', 'ber_unexpected_element', 'half an end of contents'],
    ['30 03 01 02', 'ber_length_beyond_data', 'p7-019'],
    ['30', 'ber_truncated', 'p7-020'],
    ['', 'ber_truncated', 'nothing'],
    ['31 00', 'ber_unexpected_tag', 'another tag'],
    ['30 03 02 01 01', 'ber_unexpected_element', 'something inside that was not read'],
  ])('%s is refused as %s (%s)', async (hex, reason) => {
    const enterAndLeave = () => {
      const cursor = new DerCursor(bytes(hex));
      cursor.enterBer(TAG.sequence);
      cursor.leave();
    };
    expect(await refusalOf(enterAndLeave)).toBe(reason);
  });

  it('is refused where only a definite one may stand', async () => {
    const value = bytes('30 80 00 00');
    expect(await refusalOf(() => new DerCursor(value).enter(TAG.sequence))).toBe('ber_indefinite_length');
    expect(await refusalOf(() => new DerCursor(value).element(TAG.sequence))).toBe('ber_indefinite_length');
    expect(await refusalOf(() => new DerCursor(value).skipDer(8))).toBe('ber_indefinite_length');
    expect(await refusalOf(() => new DerCursor(bytes('04 80 00 00')).content(0x04))).toBe('ber_indefinite_length');
  });
});

describe('an element of definite length', () => {
  it('is handed out as a view, with or without its header', () => {
    const value = bytes('30 04 04 02 aa bb');
    const cursor = new DerCursor(value);
    cursor.enter(TAG.sequence);
    expect(cursor.depth).toBe(1);
    const content = cursor.content(TAG.octetString);
    expect([...content]).toEqual([0xaa, 0xbb]);
    expect(content.buffer).toBe(value.buffer);
    expect([...new DerCursor(value).element(TAG.sequence)]).toEqual([...value]);
  });

  it.each([
    [127, '7f'],
    [128, '8180'],
    [255, '81ff'],
    [256, '820100'],
    [65_535, '82ffff'],
    [65_536, '83010000'],
  ])('of %i octets has the header %s', (length, header) => {
    const value = new Uint8Array([...bytes(`04 ${header}`), ...new Uint8Array(length)]);
    expect(new DerCursor(value).content(TAG.octetString)).toHaveLength(length);
  });

  it('must not reach past its parent', async () => {
    const cursor = new DerCursor(bytes('30 03 04 02 aa bb'));
    cursor.enter(TAG.sequence);
    expect(await refusalOf(() => cursor.content(TAG.octetString))).toBe('ber_length_beyond_data');
  });

  it('has a tag of one octet', async () => {
    expect(await refusalOf(() => new DerCursor(bytes('bf 01 00')).enter(0xbf))).toBe('ber_long_tag');
  });
});

describe('skipping DER', () => {
  it.each([
    ['30 00', 'accepted'],
    ['30 06 31 04 a0 00 04 00', 'accepted'],
    ['24 02 04 00', 'ber_constructed_string'],
    ['30 04 30 80 00 00', 'ber_indefinite_length'],
    ['30 05 04 81 02 aa bb', 'ber_length_not_minimal'],
    ['30 02 04 01', 'ber_length_beyond_data'],
    ['', 'ber_truncated'],
  ])('%s is %s', async (hex, verdict) => {
    expect(await refusalOf(() => new DerCursor(bytes(hex)).skipDer(8))).toBe(verdict);
  });

  it('counts elements', async () => {
    const value = bytes('30 06 05 00 05 00 05 00');
    expect(await refusalOf(() => new DerCursor(value).skipDer(4))).toBe('accepted');
    expect(await refusalOf(() => new DerCursor(value).skipDer(3))).toBe('ber_too_many_elements');
  });

  it('stops at the bound of nesting', async () => {
    const nested = (levels: number) =>
      bytes(
        Array.from({ length: levels }, (_, at) => (levels - at - 1) * 2)
          .map((n) => `30${n.toString(16).padStart(2, '0')}`)
          .join(''),
      );
    expect(await refusalOf(() => new DerCursor(nested(MAX_DEPTH)).skipDer(64))).toBe('accepted');
    expect(await refusalOf(() => new DerCursor(nested(MAX_DEPTH + 1)).skipDer(64))).toBe('ber_too_deep');
  });
});

it('leaving what was not entered is a defect of the caller', () => {
  expect(() => new DerCursor(new Uint8Array(0)).leave()).toThrow(TypeError);
});

it('no bytes make it throw anything but the typed error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (value) => {
      const cursor = new DerCursor(value);
      try {
        while (!cursor.atEnd()) {
          if ((cursor.peek() & 0x20) === 0) cursor.content(cursor.peek());
          else if (cursor.depth % 2 === 0) cursor.enterBer(cursor.peek());
          else cursor.skipDer(4);
        }
      } catch (error) {
        expect(isAuthError(error)).toBe(true);
      }
    }),
  );
});
