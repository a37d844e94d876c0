/** Names in paths (WIRE-7, ROLE-2, THREAT-29). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAuthError } from '../errors.js';
import { foldRoleName, isName, requireName, requireRoleName } from './fields.js';
import { MAX_NAME_CHARACTERS } from './limits.js';

describe('a name', () => {
  it.each(['a', '_', '9', 'ab', 'a.b-c_d', 'ami-0abc', 'a--b', 'a..b', '__proto__', 'constructor', 'Dev'])(
    'may be %j',
    (text) => {
      expect(isName(text)).toBe(true);
    },
  );

  it.each([
    '',
    '-x',
    'ab-',
    '.',
    '..',
    'a.',
    'a/b',
    'a b',
    'a%2f',
    'a\n',
    '\u00e9t\u00e9',
    '\u212aey',
    'a\u0000b',
    'x'.repeat(MAX_NAME_CHARACTERS + 1),
  ])('must not be %j', (text) => {
    expect(isName(text)).toBe(false);
  });

  it('is found fast to be none', () => {
    expect(isName('-'.repeat(1_000_000))).toBe(false);
    expect(isName(`${'a.'.repeat(MAX_NAME_CHARACTERS / 2 - 1)}a-`)).toBe(false);
  });
});

describe('folding', () => {
  it.each([
    ['DEV-Role.1', 'dev-role.1'],
    ['\u212aelvin', '\u212aelvin'],
    ['\u0131d', '\u0131d'],
    ['\u017fecret', '\u017fecret'],
    ['\u0130', '\u0130'],
    ['\u00c9', '\u00c9'],
  ])('of %j is %j', (name, folded) => {
    expect(foldRoleName(name)).toBe(folded);
  });

  it('changes ASCII letters only, and nothing twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const folded = foldRoleName(name);
        expect(foldRoleName(folded)).toBe(folded);
        expect([...folded].filter((c) => c > '\u007f')).toEqual([...name].filter((c) => c > '\u007f'));
      }),
    );
  });
});

describe('a path parameter', () => {
  it('is taken as it is, role names folded', () => {
    expect(requireName({ cert_name: 'Cert-B' }, 'cert_name')).toBe('Cert-B');
    expect(requireRoleName({ role: 'dEV' })).toBe('dev');
  });

  it.each<[Record<string, string>, string]>([
    [{}, 'role'],
    [{}, 'constructor'],
    [{ role: 'ab-' }, 'role'],
    [{ role: '\u212a' }, 'role'],
  ])('that is no name is not found: %j', (params, parameter) => {
    try {
      requireName(params, parameter);
      expect.unreachable();
    } catch (error) {
      expect(isAuthError(error) && error.code).toBe('not_found');
    }
  });
});
