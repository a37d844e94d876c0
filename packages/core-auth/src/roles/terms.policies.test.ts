import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decidePolicies, normalizePolicies } from './terms.js';

describe('granted policies', () => {
  it.each([
    ['adds default', ['b', 'a'], false, ['a', 'b', 'default']],
    ['does not add default when told so', ['a'], true, ['a']],
    ['keeps a default that the role names', ['default', 'a'], true, ['a', 'default']],
    ['adds default to nothing', [], false, ['default']],
    ['may be none', [], true, []],
    [
      'trims, folds, drops empty names and duplicates',
      [' Dev ', 'dev', '', ' ', 'PROD'],
      false,
      ['default', 'dev', 'prod'],
    ],
    ['folds no letter of another script', ['\u212Aey'], true, ['\u212Aey']],
  ])('%s', (_name, names, noDefault, policies) => {
    expect(decidePolicies(names, noDefault)).toEqual({ allow: true, policies });
  });

  it.each([['root'], ['ROOT'], [' Root\t'], ['rOOt']])('refuses %j altogether', (name) => {
    expect(decidePolicies(['a', name], true)).toEqual({ allow: false, code: 'policy_not_grantable' });
  });

  it('is stable: normalising twice changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (names) => {
        const once = normalizePolicies(names);
        expect(normalizePolicies(once)).toEqual(once);
      }),
    );
  });
});
