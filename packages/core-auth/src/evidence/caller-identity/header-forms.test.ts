/** Every form of `iam_request_headers` (STS-4), and what is no form (THREAT-22, THREAT-38). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64 } from '../../../test/caller-identity.js';
import { refusalOf } from '../../../test/refusal.js';
import { MAX_HEADER_CHARACTERS, MAX_HEADER_VALUES, parseHeaderFields } from './header-forms.js';

const reasonOf = (headers: unknown) => refusalOf(() => parseHeaderFields(headers));
const expected = new Map([
  ['host', ['sts.amazonaws.com']],
  ['content-length', ['43']],
  ['x-two', ['a', 'b: c']],
]);

describe('headers', () => {
  const object = { Host: 'sts.amazonaws.com', 'Content-Length': 43, 'X-Two': ['a', 'b: c'] };
  it.each([
    ['an object', object],
    ['an object without prototype', Object.assign(Object.create(null), object)],
    ['JSON', JSON.stringify(object)],
    ['spaced JSON', JSON.stringify(object, undefined, 2)],
    ['base64 of JSON', base64(JSON.stringify(object))],
    ['lists of one', { ...object, Host: ['sts.amazonaws.com'] }],
    ['lines', ['Host:sts.amazonaws.com', 'Content-Length: 43 ', 'X-Two:a', 'X-Two:  b: c']],
    ['JSON of lines', JSON.stringify(['Host:sts.amazonaws.com', 'Content-Length:43', 'X-Two:a', 'x-two:b: c'])],
    ['names in two cases', { ...object, 'X-Two': 'a', 'x-tWO': 'b: c' }],
    ['an empty list beside', { ...object, 'X-None': [] }],
  ])('are read from %s', (_, headers) => {
    expect(parseHeaderFields(headers)).toEqual(expected);
  });

  it.each([
    ['', 'headers_json_syntax'],
    ['gibberish', 'headers_json_syntax'],
    ['Host:sts.amazonaws.com', 'headers_json_syntax'],
    ['{"Host":"a"} trailing', 'headers_json_syntax'],
    [base64('gibberish'), 'headers_json_syntax'],
    [base64(Uint8Array.of(0xff, 0xfe, 0x7b)), 'headers_not_utf8'],
    [base64(base64('{}')), 'headers_json_syntax'],
    ['{"Host":"a","Host":"b"}', 'headers_json_duplicate_key'],
    ['{"__proto__":"a"}', 'headers_json_forbidden_key'],
    ['{"constructor":"a"}', 'headers_json_forbidden_key'],
    ['{"a":{"b":{}}}', 'headers_json_too_deep'],
    ['['.repeat(100_000), 'headers_too_large'],
    ['null ', 'headers_form'],
    ['1', 'headers_form'],
    [null, 'headers_form'],
    [undefined, 'headers_form'],
    [7, 'headers_form'],
    [true, 'headers_form'],
    [JSON.parse('{"__proto__":"a"}'), 'headers_name_forbidden'],
    [{ constructor: 'a' }, 'headers_name_forbidden'],
    [['__proto__:a'], 'headers_name_forbidden'],
    [{ Host: true }, 'headers_value_type'],
    [{ Host: null }, 'headers_value_type'],
    [{ Host: { a: 'b' } }, 'headers_value_type'],
    [{ Host: [['a']] }, 'headers_value_type'],
    [{ Host: Number.NaN }, 'headers_value_type'],
    [[1], 'headers_value_type'],
    [['Host'], 'headers_line'],
    [[':a'], 'headers_name_invalid'],
    [{ '': 'a' }, 'headers_name_invalid'],
    [{ 'a b': 'c' }, 'headers_name_invalid'],
    [{ 'Host:': 'c' }, 'headers_name_invalid'],
    [{ 'a\r\nb': 'c' }, 'headers_name_invalid'],
    [{ 'ho\u017ft': 'c' }, 'headers_name_invalid'],
    [{ [`x${'a'.repeat(300)}`]: 'c' }, 'headers_name_invalid'],
    [{ a: 'b\r\nX-Evil: c' }, 'headers_value_invalid'],
    [{ a: 'b\n' }, 'headers_value_invalid'],
    [{ a: '\0' }, 'headers_value_invalid'],
    [{ a: '\u00e4' }, 'headers_value_invalid'],
    [{ a: '\u007f' }, 'headers_value_invalid'],
    [['a: b\tc'], 'headers_value_invalid'],
    [{ a: 'b'.repeat(MAX_HEADER_CHARACTERS) }, 'headers_too_large'],
    [{ a: Array.from({ length: MAX_HEADER_VALUES + 1 }, () => 'b') }, 'headers_too_large'],
  ])('are refused (%#)', async (headers, reason) => {
    expect(await reasonOf(headers)).toBe(reason);
  });

  it('never do anything but give fields or refuse', async () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.json(),
      fc.json().map((text) => base64(text)),
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()), fc.double())),
      fc.array(fc.string()),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (headers) => {
        expect(await reasonOf(headers)).toMatch(/^(accepted|headers_[a-z0-9_]+)$/);
      }),
      { numRuns: 2000 },
    );
  });
});
