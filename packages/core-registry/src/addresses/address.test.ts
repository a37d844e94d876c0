/** What is an address, and what would be a path into somebody else's keys. */
import { describe, expect, it } from 'vitest';
import { isModuleAddress, isModuleText, isVersionAddress, moduleText, versionId } from './address.js';

const good = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };

describe('an address', () => {
  it.each(['a', 'A9', 'net-work_2', 'x'.repeat(64)])('may have the part %j', (part) => {
    expect(isModuleAddress({ ...good, name: part })).toBe(true);
  });

  it.each(['', '-a', 'a-', 'a/b', '..', 'a.b', 'a b', '\u00e9', 'a\n', 'x'.repeat(65), undefined, 5])(
    'may not have the part %j',
    (part) => {
      for (const member of ['namespace', 'name', 'provider']) {
        // As a caller without types would pass it.
        expect(isVersionAddress({ ...good, [member]: part } as typeof good)).toBe(false);
      }
    },
  );

  it('names itself', () => {
    expect(moduleText(good)).toBe('acme/network/aws');
    expect(versionId(good)).toBe('acme/network/aws/1.0.0');
    expect(isVersionAddress(good)).toBe(true);
    expect(isVersionAddress({ ...good, version: '1.0' })).toBe(false);
  });

  it.each([
    ['acme/network/aws', true],
    ['registry.acme.example/acme/network/aws', true],
    ['registry.acme.example:8443/acme/network/aws', true],
    ['acme/network', false],
    ['a/b/c/d/e', false],
    ['registry..example/acme/network/aws', false],
    ['registry.example:x/acme/network/aws', false],
    ['acme/network/', false],
    ['', false],
  ])('as text: %j is one: %s', (text, is) => {
    expect(isModuleText(text)).toBe(is);
  });
});
