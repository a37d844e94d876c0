/** The inverted index: what is found, in which order, and what is forgotten. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWordIndex, type IndexedModule, termsOf, WEIGHTS, type Weight } from './word-index.js';

const all = () => true;
const moduleOf = (name: string, provider = 'aws'): IndexedModule => ({ namespace: 'acme', name, provider });
const words = (text: string, weight: Weight = WEIGHTS.readme) =>
  new Map([...termsOf(text)].map((each) => [each, weight]));

function indexOf(modules: Readonly<Record<string, ReadonlyMap<string, Weight>>>, maxPostings?: number) {
  const index = createWordIndex(maxPostings);
  for (const [name, its] of Object.entries(modules)) index.set(name, moduleOf(name), its);
  return index;
}

describe('terms', () => {
  it('are letters and digits of any script, in lower case, without what is too short or too long', () => {
    const text = `Enable_NAT-gateway: Über 日本語 a ${'x'.repeat(41)} v2.0 ﬁne`;
    expect([...termsOf(text)]).toEqual(['enable', 'nat', 'gateway', 'über', '日本語', 'v2', 'fine']);
  });
});

describe('a search', () => {
  const index = indexOf({
    dns: words('zones and records of a network', WEIGHTS.description),
    network: words('subnets'),
    vpc: new Map([...words('the network of a cloud'), ...words('enable_nat_gateway', WEIGHTS.input)]),
  });

  it.each<[string, string, readonly string[]]>([
    ['a name before a description before a README', 'network', ['network', 'dns', 'vpc']],
    ['the beginning of a word, from three characters on', 'gate', ['vpc']],
    ['shorter words whole', 'of', ['dns', 'vpc']],
    ['shorter words by no beginning', 'zo', []],
    ['every word, in any case', 'CLOUD nat', ['vpc']],
    ['no module that has one of them alone', 'cloud zones', []],
    ['an input as it is written', 'enable_nat_gateway', ['vpc']],
    ['a part of an address', 'cme/ne', ['network']],
    ['all where there is no word', '', ['dns', 'network', 'vpc']],
    ['nothing by signs alone', '%', []],
    ['a word that is said twice once', 'network network', ['network', 'dns', 'vpc']],
  ])('finds %s', (_name, asked, expected) => {
    expect(index.find(asked, all, 10)).toEqual(expected);
  });

  it('prefers the word itself to one that begins with it', () => {
    const both = indexOf({ a: words('encryption'), b: words('encrypt') });
    expect(both.find('encrypt', all, 10)).toEqual(['b', 'a']);
  });

  it('answers no more than is wanted, and only what is accepted', () => {
    expect(index.find('network', all, 2)).toEqual(['network', 'dns']);
    expect(index.find('network', ({ name }) => name !== 'network', 10)).toEqual(['dns', 'vpc']);
  });

  it('ignores words beyond the eighth', () => {
    expect(index.find(`${'network '.repeat(3)} a1 b1 c1 d1 e1 f1 g1 h1`, all, 10)).toEqual([]);
    const eight = Array.from({ length: 8 }, (_, at) => 'network'.slice(0, 7 - (at % 4)));
    expect(index.find(`${eight.join(' ')} zzz`, all, 10)).not.toEqual([]);
  });
});

describe('an index', () => {
  it('holds what a new one would, whatever was put into it and taken out before', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const text = fc.array(fc.constantFrom('one', 'two', 'three', 'thing', 'four', 'zz'), { maxLength: 4 });
    const step = fc.record({ name, text: fc.option(text, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const lived = createWordIndex();
        const last = new Map<string, readonly string[]>();
        for (const { name: key, text: its } of steps) {
          if (its === undefined) lived.remove(key);
          else lived.set(key, moduleOf(key), words(its.join(' ')));
          if (its === undefined) last.delete(key);
          else last.set(key, its);
        }
        const fresh = createWordIndex();
        for (const [key, its] of last) fresh.set(key, moduleOf(key), words(its.join(' ')));
        expect(lived.size).toBe(fresh.size);
        for (const asked of ['one', 'thr', 'th', 'four two', 'zz', 'acme', '']) {
          expect(lived.find(asked, all, 10)).toEqual(fresh.find(asked, all, 10));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps no more words than it may, and finds what it left out by its address', () => {
    const index = indexOf({ first: words('one two three'), second: words('four five six') }, 4);
    expect(index.size).toBe(4);
    expect(index.find('four', all, 10)).toEqual(['second']);
    expect(index.find('six', all, 10)).toEqual([]);
    expect(index.find('second', all, 10)).toEqual(['second']);
    index.remove('first');
    index.set('second', moduleOf('second'), words('four five six'));
    expect(index.find('six', all, 10)).toEqual(['second']);
  });

  it('of a thousand modules with a thousand words each is searched in milliseconds', () => {
    const vocabulary = Array.from({ length: 20_000 }, (_, at) => `word${at.toString(36)}`);
    const index = createWordIndex();
    for (let at = 0; at < 1000; at += 1) {
      const its = Array.from({ length: 1000 }, (_, each) => vocabulary[(at * 7 + each * each) % 20_000] ?? '');
      index.set(`m${at}`, moduleOf(`m${at}`), new Map(its.map((each) => [each, WEIGHTS.readme])));
    }
    const before = process.cpuUsage();
    for (let at = 0; at < 50; at += 1) index.find(`word${at} module wor`, all, 20);
    const { user, system } = process.cpuUsage(before);
    // 2 ms each where it was measured.
    expect((user + system) / 1000 / 50).toBeLessThan(50);
  });
});
