/** Semantic versions: one spelling each, and a total order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, isPrerelease, parseVersion } from './version.js';

describe('a version', () => {
  it.each(['0.0.0', '1.2.3', '1.2.3-rc.1', '1.2.3+build.5', '1.2.3-a-b.0+x-y', '1.0.0-0a'])('is %j', (text) => {
    expect(parseVersion(text)?.raw).toBe(text);
  });

  it.each([
    '',
    'v1.0.0',
    '=1.0.0',
    ' 1.0.0',
    '1.0.0 ',
    '1.0',
    '1',
    '1.0.0.0',
    '01.0.0',
    '1.0.0-01',
    '1.0.0-',
    '1.0.0+',
    '1.0.0/..',
    '1.0.0\n',
    '9007199254740993.0.0',
    `1.0.0-${'x'.repeat(200)}`,
    undefined,
    5,
  ])('is not %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  it('has its place in the order of semver 2.0', () => {
    const ordered = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'];
    const all = [...ordered, '1.0.0-rc.1', '1.0.0', '1.0.0+a', '1.0.0+b', '1.0.1', '1.2.0', '1.10.0', '2.0.0'];
    const sorted = [...all].reverse().sort((a, b) => compareVersions(parseVersion(a)!, parseVersion(b)!));
    expect(sorted).toEqual(all);
    expect(all.filter((text) => isPrerelease(parseVersion(text)!))).toEqual([...ordered, '1.0.0-rc.1']);
  });

  it('is itself again, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^v?[0-9]{1,3}(\.[0-9]{1,3}){1,3}(-[a-z0-9.-]*)?(\+[a-z0-9.]*)?$/)),
        (text) => {
          const parsed = parseVersion(text);
          if (parsed !== undefined) expect(parsed.raw).toBe(text);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
