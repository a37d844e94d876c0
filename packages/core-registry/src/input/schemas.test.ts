/** What a command's input may be, member by member, and where an error points (REG-5, REGAPI-6, REG-6). */
import { describe, expect, it } from 'vitest';
import { createTestRegistry, errorOf, V1 } from '../../test/create-test-registry.js';
import type { DeprecationInput, RangeInput, RevocationInput } from './input.js';

/** What a transport passes on is whatever its caller wrote. */
const deprecate = (input: unknown) => {
  const { registry, manager } = createTestRegistry();
  return registry.open(manager()).deprecate(V1, input as DeprecationInput);
};

const ESC = '\u001b';

describe('a deprecation', () => {
  it.each<[string, unknown, object]>([
    ['nothing', {}, { reason: null, link: null }],
    [
      'nulls',
      { reason: null, link: null, reasonClass: null, replacement: null, sunset: null },
      { reason: null, link: null },
    ],
    ['an empty reason', { reason: '' }, { reason: '' }],
    ['newlines and tabs', { reason: 'a\n\tb' }, { reason: 'a\n\tb' }],
    ['R-B12: lines that end with CR LF, as lines', { reason: 'a\r\nb\r\n' }, { reason: 'a\nb\n' }],
    ['2,000 characters', { reason: 'x'.repeat(2000) }, { reason: 'x'.repeat(2000) }],
    ['2,000 characters beyond the BMP', { reason: '\u{1f600}'.repeat(2000) }, { reason: '\u{1f600}'.repeat(2000) }],
    ['markup, which is only text', { reason: '<script>alert(1)</script>' }, { reason: '<script>alert(1)</script>' }],
    ['Hebrew with its marks', { reason: '\u05d0\u200f!' }, { reason: '\u05d0\u200f!' }],
    ['an http link', { link: 'http://wiki.acme.example/x?y=1#z' }, { link: 'http://wiki.acme.example/x?y=1#z' }],
    ['an upper-case scheme', { link: 'HTTPS://ACME.example' }, { link: 'HTTPS://ACME.example' }],
    ['an IPv6 host', { link: 'https://[::1]:8443/' }, { link: 'https://[::1]:8443/' }],
    ['2,000 characters of link', { link: `https://a.example/${'x'.repeat(1982)}` }, {}],
    ['an at sign in the path', { link: 'https://a.example/@b' }, { link: 'https://a.example/@b' }],
    ['a class', { reasonClass: 'critical-bugs' }, { reasonClass: 'critical-bugs' }],
    ['a version instead', { replacement: { version: '~> 2.0' } }, { replacement: { module: null, version: '~> 2.0' } }],
    [
      'a module instead',
      { replacement: { module: 'acme/vpc/aws' } },
      { replacement: { module: 'acme/vpc/aws', version: null } },
    ],
    ['a module elsewhere', { replacement: { module: 'r.acme.example:8443/acme/vpc/aws' } }, {}],
    ['a day', { sunset: '2027-01-31' }, { sunsetAt: Date.UTC(2027, 0, 31) }],
    ['an instant', { sunset: '2027-01-31T12:00:00+02:00' }, { sunsetAt: Date.UTC(2027, 0, 31, 10) }],
    ['unknown members, ignored', { reason: 'r', 'deprecated-status': 'Deprecated', __proto__x: 1 }, { reason: 'r' }],
  ])('may say %s', async (_name, input, expected) => {
    expect((await deprecate(input)).deprecation).toMatchObject(expected);
  });

  it.each<[string, unknown, string]>([
    ['no object', 'text', ''],
    ['nothing at all', undefined, ''],
    ['null', null, ''],
    ['an array', [], ''],
    ['a number for a reason', { reason: 5 }, '/reason'],
    ['an object for a reason', { reason: {} }, '/reason'],
    ['an array for a reason', { reason: ['x'] }, '/reason'],
    ['a reason too long', { reason: 'x'.repeat(2001) }, '/reason'],
    ['a reason too long beyond the BMP', { reason: '\u{1f600}'.repeat(2001) }, '/reason'],
    ['a megabyte of reason', { reason: 'x'.repeat(1 << 20) }, '/reason'],
    ['a CR by itself', { reason: 'a\rb' }, '/reason'],
    ['an escape sequence', { reason: `${ESC}[31mred${ESC}[0m` }, '/reason'],
    ['a null character', { reason: 'a\u0000b' }, '/reason'],
    ['a carriage return, which overwrites the line', { reason: 'a\rb' }, '/reason'],
    ['a backspace', { reason: 'a\bb' }, '/reason'],
    ['delete', { reason: '\u007f' }, '/reason'],
    ['a C1 control sequence introducer', { reason: '\u009b31m' }, '/reason'],
    ['a right-to-left override', { reason: 'safe\u202etxt.exe' }, '/reason'],
    ['an isolate', { reason: '\u2066x' }, '/reason'],
    ['a line separator', { reason: 'a\u2028b' }, '/reason'],
    ['half a surrogate pair', { reason: 'a\ud800b' }, '/reason'],
    ['a number for a link', { link: 1 }, '/link'],
    ['an empty link', { link: '' }, '/link'],
    ['no scheme', { link: 'www.acme.example' }, '/link'],
    ['a relative link', { link: '/x' }, '/link'],
    ['a link relative to the scheme', { link: '//acme.example/' }, '/link'],
    ['a script', { link: 'javascript:alert(1)' }, '/link'],
    ['a script that looks like a link', { link: 'javascript://acme.example/%0aalert(1)' }, '/link'],
    ['data', { link: 'data:text/html,x' }, '/link'],
    ['another scheme', { link: 'ftp://acme.example/' }, '/link'],
    ['no host', { link: 'https://' }, '/link'],
    ['a path for a host', { link: 'https:///acme.example' }, '/link'],
    ['a port alone', { link: 'https://:80/' }, '/link'],
    ['a user', { link: 'https://acme.example@evil.example/' }, '/link'],
    ['a user and a password', { link: 'https://a:b@evil.example/' }, '/link'],
    ['an empty user', { link: 'https://@evil.example/' }, '/link'],
    ['a backslash, which some take for a slash', { link: 'https://acme.example\\@evil.example/' }, '/link'],
    ['a space', { link: 'https://acme.example/a b' }, '/link'],
    ['a space before', { link: ' https://acme.example/' }, '/link'],
    ['a newline', { link: 'https://acme.example/\n' }, '/link'],
    ['an escape sequence in a link', { link: `https://acme.example/${ESC}[2J` }, '/link'],
    ['a quote that would end an attribute', { link: 'https://acme.example/"onclick="x' }, '/link'],
    ['an angle bracket', { link: 'https://acme.example/<b>' }, '/link'],
    ['letters that look like others', { link: 'https://\u0430cme.example/' }, '/link'],
    ['a link too long', { link: `https://a.example/${'x'.repeat(1983)}` }, '/link'],
    ['a port out of range', { link: 'https://acme.example:99999/' }, '/link'],
    ['an unknown class', { reasonClass: 'Legacy' }, '/reasonClass'],
    ['a class of the prototype', { reasonClass: 'constructor' }, '/reasonClass'],
    ['a text for a replacement', { replacement: 'acme/vpc/aws' }, '/replacement'],
    ['an empty replacement', { replacement: {} }, '/replacement'],
    ['a replacement of nulls', { replacement: { module: null, version: null } }, '/replacement'],
    ['no module address', { replacement: { module: 'acme/vpc' } }, '/replacement/module'],
    ['a git source', { replacement: { module: 'git::https://acme.example/vpc.git' } }, '/replacement/module'],
    ['a module far too long', { replacement: { module: 'a/'.repeat(1000) } }, '/replacement/module'],
    ['a host without a dot', { replacement: { module: 'localhost/acme/vpc/aws' } }, '/replacement/module'],
    ['no constraint', { replacement: { version: 'newer' } }, '/replacement/version'],
    ['a number for a version', { replacement: { version: 2 } }, '/replacement/version'],
    ['a day that is none', { sunset: '2027-02-30' }, '/sunset'],
    ['a local time', { sunset: '2027-01-31T12:00:00' }, '/sunset'],
    ['a number for a sunset', { sunset: 1_800_000_000 }, '/sunset'],
    ['words', { sunset: 'tomorrow' }, '/sunset'],
    ['a day long past', { sunset: '1969-12-31' }, '/sunset'],
  ])('may not say %s', async (_name, input, pointer) => {
    const error = await errorOf(deprecate(input));
    expect(error).toMatchObject({ code: 'input_invalid', kind: 'invalid', pointer });
    expect(error.details['expected']).not.toBe('');
    // Errors go where the text that was refused must not.
    expect(`${error.message}${JSON.stringify(error.details)}`).not.toMatch(/[^\P{Cc}\n]|evil|\u202e/u);
  });
});

it.each(['{', '}', '|', '^', '`', '\\', '"', '<', '>'])(
  'R-B12: the error of a link with %s says which characters it may not hold',
  async (character) => {
    const error = await errorOf(deprecate({ link: `https://acme.example/${character}` }));
    expect(error.message).toMatch(/without quotes, angle brackets, braces, backslash, caret, backtick and pipe/);
  },
);

describe('a revocation', () => {
  it.each<[unknown, string]>([
    [{ reason: 5 }, '/reason'],
    [{ link: 'x' }, '/link'],
    [5, ''],
  ])('is checked in the same way: %j', async (input, pointer) => {
    const { registry, manager } = createTestRegistry();
    await registry.open(manager()).deprecate(V1, {});
    const error = await errorOf(registry.open(manager()).revoke(V1, input as RevocationInput));
    expect(error).toMatchObject({ code: 'input_invalid', pointer });
  });
});

describe('a range', () => {
  it.each<[unknown, string]>([
    [{ dryRun: true }, '/range'],
    [{ range: '', dryRun: true }, '/range'],
    [{ range: 5, dryRun: true }, '/range'],
    [{ range: '>= 1.0' }, '/dryRun'],
    [{ range: '>= 1.0', dryRun: 'no' }, '/dryRun'],
    [{ range: '>= 1.0', dryRun: true, includePrereleases: 1 }, '/includePrereleases'],
    [{ range: '>= 1.0', dryRun: true, reason: 1 }, '/reason'],
    [[], ''],
  ])('needs its members: %j', async (input, pointer) => {
    const { registry, manager } = createTestRegistry();
    const error = await errorOf(registry.open(manager()).deprecateRange(V1, input as RangeInput));
    expect(error).toMatchObject({ code: 'input_invalid', pointer });
  });
});
