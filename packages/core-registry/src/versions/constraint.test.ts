/** Constraints in Terraform's syntax: a table, and properties against another reader of ranges. */
import fc from 'fast-check';
import satisfiesNpm from 'semver/functions/satisfies.js';
import { describe, expect, it } from 'vitest';
import { parseConstraint, satisfies } from './constraint.js';
import { compareVersions, parseVersion } from './version.js';

const VERSIONS = [
  '0.9.0',
  '1.0.0',
  '1.2.0',
  '1.2.3',
  '1.2.10',
  '1.3.0-beta.1',
  '1.3.0',
  '2.0.0-rc.1',
  '2.0.0',
  '2.1.0',
];

function named(text: string, includePrereleases = false): readonly string[] {
  const constraint = parseConstraint(text)!;
  return VERSIONS.filter((version) => satisfies(parseVersion(version)!, constraint, { includePrereleases }));
}

describe('a constraint', () => {
  it.each<[string, readonly string[]]>([
    ['1.2.3', ['1.2.3']],
    ['= 1.2.3', ['1.2.3']],
    ['=1.2', ['1.2.0']],
    ['1', ['1.0.0']],
    ['~> 1.2', ['1.2.0', '1.2.3', '1.2.10', '1.3.0']],
    ['~> 1.2.3', ['1.2.3', '1.2.10']],
    ['~> 1.2.0', ['1.2.0', '1.2.3', '1.2.10']],
    ['~> 1', ['1.0.0', '1.2.0', '1.2.3', '1.2.10', '1.3.0', '2.0.0', '2.1.0']],
    ['>= 1.0, < 2.0', ['1.0.0', '1.2.0', '1.2.3', '1.2.10', '1.3.0']],
    ['>1.0.0,<=1.2.3', ['1.2.0', '1.2.3']],
    ['!= 1.2.3, ~> 1.2.0', ['1.2.0', '1.2.10']],
    ['< 0.1', []],
    ['> 1.2, < 1.2', []],
    // A prerelease is named by itself only.
    ['= 1.3.0-beta.1', ['1.3.0-beta.1']],
    ['1.3.0-beta.1', ['1.3.0-beta.1']],
    ['>= 1.3.0-beta.1, < 2.0', ['1.3.0']],
    ['= 1.3.0-beta.1, < 1.3', ['1.3.0-beta.1']],
    ['= 1.3.0-beta.1, > 2.0', []],
    ['= 1.3.0-beta.2', []],
  ])('%s names %j', (text, expected) => {
    expect(named(text)).toEqual(expected);
  });

  it.each<[string, readonly string[]]>([
    ['< 2.0.0', ['0.9.0', '1.0.0', '1.2.0', '1.2.3', '1.2.10', '1.3.0-beta.1', '1.3.0', '2.0.0-rc.1']],
    ['~> 1.2', ['1.2.0', '1.2.3', '1.2.10', '1.3.0-beta.1', '1.3.0']],
    ['>= 2.0.0-rc.1', ['2.0.0-rc.1', '2.0.0', '2.1.0']],
  ])('%s with prereleases names %j', (text, expected) => {
    expect(named(text, true)).toEqual(expected);
  });

  it.each([
    '',
    ' ',
    ',',
    '>= 1.0,',
    '1.x',
    '*',
    'latest',
    '^1.2',
    '~1.2',
    '=> 1.0',
    '>= v1.0',
    '1.0.0.0',
    '01.0',
    '1.2-beta',
    '1.0.0+build',
    '>= 1.0 < 2.0',
    '1.0 || 2.0',
    '> 99999999999999999999',
    '~>',
    '>= 1.0\n< 2.0',
    Array(17).fill('1').join(','),
    `${'1'.repeat(300)}`,
  ])('is not %j', (text) => {
    expect(parseConstraint(text)).toBeUndefined();
  });

  it('is found fast to be none', () => {
    expect(parseConstraint(`1.0.0-${'a.'.repeat(120)}!`)).toBeUndefined();
  });
});

const part = fc.nat(4);
const version = fc.tuple(part, part, part).map((parts) => parts.join('.'));
const operator = fc.constantFrom('=', '>', '>=', '<', '<=');

describe('of releases', () => {
  it('terms hold as another reader of ranges says', () => {
    fc.assert(
      fc.property(version, fc.array(fc.tuple(operator, version), { minLength: 1, maxLength: 3 }), (text, terms) => {
        const ours = parseConstraint(terms.map(([op, bound]) => `${op} ${bound}`).join(', '))!;
        const theirs = terms.map(([op, bound]) => `${op}${bound}`).join(' ');
        expect(satisfies(parseVersion(text)!, ours)).toBe(satisfiesNpm(text, theirs));
      }),
      { numRuns: 1000 },
    );
  });

  it('`~>` is what it is spelled out to be', () => {
    fc.assert(
      fc.property(version, part, part, part, (text, major, minor, patch) => {
        const holds = (constraint: string) => satisfies(parseVersion(text)!, parseConstraint(constraint)!);
        expect(holds(`~> ${major}.${minor}.${patch}`)).toBe(
          holds(`>= ${major}.${minor}.${patch}, < ${major}.${minor + 1}.0`),
        );
        expect(holds(`~> ${major}.${minor}`)).toBe(holds(`>= ${major}.${minor}, < ${major + 1}`));
        expect(holds(`~> ${major}`)).toBe(holds(`>= ${major}`));
      }),
      { numRuns: 1000 },
    );
  });

  it('one that is not the other, and one that is, make all', () => {
    fc.assert(
      fc.property(version, version, (left, right) => {
        const [a, b] = [parseVersion(left)!, parseVersion(right)!];
        const holds = (op: string) => satisfies(a, parseConstraint(`${op} ${right}`)!);
        expect(holds('!=')).toBe(!holds('='));
        expect(holds('<')).toBe(!holds('>='));
        expect(Math.sign(compareVersions(a, b))).toBe(holds('<') ? -1 : holds('>') ? 1 : 0);
      }),
    );
  });
});
