import { describe, expect, it } from 'vitest';
import { NETWORK } from '../../test/set-up.js';
import { checkFacts } from './publication-facts.js';
import { checkVersionAddress, isVersionAddress } from './records.js';

const codeOf = (call: () => unknown): unknown => {
  try {
    call();
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
};

describe('addresses', () => {
  it.each([
    ['namespace', 'a', true],
    ['namespace', 'Acme-Corp_1', true],
    ['namespace', 'a'.repeat(64), true],
    ['namespace', 'a'.repeat(65), false],
    ['namespace', '', false],
    ['namespace', '-acme', false],
    ['namespace', 'acme_', false],
    ['namespace', 'ac.me', false],
    ['namespace', '..', false],
    ['namespace', 'acme/x', false],
    ['namespace', 'ácme', false],
    ['namespace', 'acme\n', false],
    ['name', 'vpc-2_x', true],
    ['name', 'vpc!', false],
    ['name', 'modules/x', false],
    ['provider', 'aws', true],
    ['provider', '0', true],
    ['provider', 'AWS', false],
    ['provider', 'google-beta', false],
    ['provider', 'a'.repeat(65), false],
  ] as const)('with the %s %j: %s', (part, text, isValid) => {
    const address = { ...NETWORK, [part]: text };
    expect(isVersionAddress(address)).toBe(isValid);
    expect(codeOf(() => checkVersionAddress(address))).toBe(isValid ? undefined : 'address_invalid');
  });

  it.each([
    ['1.0.0', true],
    ['0.0.0', true],
    ['10.20.30', true],
    ['1.0.0-rc.1', true],
    ['1.0.0-0.3.7-x', true],
    ['1.0.0+build.001', true],
    ['1.0.0-a+b', true],
    ['v1.0.0', false],
    ['1.0', false],
    ['1', false],
    ['01.0.0', false],
    ['1.0.0-01', false],
    ['1.0.0-', false],
    ['1.0.0+', false],
    ['1.0.0 ', false],
    ['1.0.0\n', false],
    ['1.0.0.0', false],
    ['latest', false],
    ['', false],
    ['1.0.0/../2', false],
    [`1.0.0-${'a'.repeat(122)}`, true],
    [`1.0.0-${'a'.repeat(123)}`, false],
    [`1.0.0-${'0'.repeat(100_000)}a${'!'.repeat(10)}`, false],
  ])('with the version %.40j: %s', (version, isValid) => {
    const address = { ...NETWORK, version };
    expect(isVersionAddress(address)).toBe(isValid);
    expect(codeOf(() => checkVersionAddress(address))).toBe(isValid ? undefined : 'version_invalid');
  });

  it('tell the publisher of v1.2.3 to leave the v out', () => {
    expect(() => checkVersionAddress({ ...NETWORK, version: 'v1.2.3' })).toThrow(/1\.2\.3/);
  });
});

describe('facts of a publication', () => {
  it.each([
    [{ owner: 'ci' }, true],
    [{ owner: 'ci', description: 'Two\nlines\tand a tab', source: 'https://git.acme.example/x?ref=1' }, true],
    [{ owner: 'ci', description: '', source: '' }, true],
    [{ owner: '' }, false],
    [{ owner: 'a\nb' }, false],
    [{ owner: 'a'.repeat(201) }, false],
    [{ owner: 'ci', description: 'a'.repeat(2_001) }, false],
    [{ owner: 'ci', description: '\u001b[31mred' }, false],
    [{ owner: 'ci', description: 'a\u202eb' }, false],
    [{ owner: 'ci', description: '\ud800' }, false],
    [{ owner: 'ci', source: 'javascript:alert(1)' }, false],
    [{ owner: 'ci', source: 'java\nscript:alert(1)' }, false],
    [{ owner: 'ci', source: 'git@git.acme.example:x.git' }, false],
    [{ owner: 'ci', source: 'https://user:secret@git.acme.example/x' }, false],
    [{ owner: 'ci', source: ' https://git.acme.example/x' }, false],
    [{ owner: 'ci', source: `https://git.acme.example/${'a'.repeat(2_000)}` }, false],
  ])('%j: %s', (facts, isValid) => {
    expect(codeOf(() => checkFacts(facts))).toBe(isValid ? undefined : 'publication_invalid');
  });
});
