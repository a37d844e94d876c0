/** Address bounds (THREAT-40), with the platform's own block list as the second opinion. */

import { BlockList, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intersectCidrs, isPeerAllowed, parseCidr, parsePeerAddress } from './cidr.js';

describe('a bound', () => {
  it.each([
    ['10.0.0.0/8', '10.255.255.255'],
    ['10.1.2.3/8', '10.0.0.1'],
    ['192.168.1.7', '192.168.1.7'],
    ['0.0.0.0/0', '203.0.113.9'],
    ['203.0.113.128/25', '203.0.113.200'],
    ['2001:db8::/32', '2001:db8:ffff::1'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['::/0', '2001:db8::1'],
    ['10.0.0.0/8', '::ffff:10.1.2.3'],
    ['10.0.0.0/8', '::FFFF:0a01:0203'],
    ['::ffff:10.0.0.0/104', '10.200.0.1'],
    ['::ffff:0:0/96', '198.51.100.1'],
    ['fe80::/10', 'fe80::1%eth0'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('%s admits %s', (cidr, peer) => {
    expect(isPeerAllowed([cidr], peer)).toBe(true);
  });

  it.each([
    ['192.168.0.0/16', '10.0.0.1'],
    ['203.0.113.128/25', '203.0.113.127'],
    ['192.168.1.7', '192.168.1.8'],
    ['2001:db8::/32', '2001:db9::1'],
    ['::/0', '10.0.0.1'],
    ['::/0', '::ffff:10.0.0.1'],
    ['0.0.0.0/0', '2001:db8::1'],
    ['0.0.0.0/0', '::10.0.0.1'],
    ['10.0.0.0/8', '010.0.0.1'],
    ['10.0.0.0/8', '10.1'],
    ['10.0.0.0/8', '167772161'],
    ['10.0.0.0/8', '10.0.0.1 '],
    ['10.0.0.0/8', '10.0.0.1:8080'],
    ['2001:db8::/32', '2001:db8::1%eth0'],
    ['fe80::/10', 'fe80::1%'],
    ['10.0.0.0/8', ''],
    ['not a bound', '10.0.0.1'],
  ])('%s does not admit %j', (cidr, peer) => {
    expect(isPeerAllowed([cidr], peer)).toBe(false);
  });

  it('rejects a peer whose address is unknown', () => {
    expect(isPeerAllowed(['0.0.0.0/0', '::/0'], undefined)).toBe(false);
  });

  it('admits by any one of several', () => {
    expect(isPeerAllowed(['192.168.0.0/16', '10.0.0.0/8'], '10.0.0.1')).toBe(true);
  });

  it('admits every peer when it is empty', () => {
    expect(isPeerAllowed([], undefined)).toBe(true);
  });
});

describe('the text of a block', () => {
  it.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '256.0.0.1',
    '1.2.3.4.5',
    '::/129',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    ':1:2:3:4:5:6:7',
    '12345::',
    'g::',
    '::1.2.3',
    '1.2.3.4::',
    'fe80::1%eth0/64',
    '/var/run/socket',
    '',
    `::${'0'.repeat(200)}`,
  ])('is refused: %j', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });
});

describe('reading addresses', () => {
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string(),
    fc.stringMatching(/^[0-9a-f:.]{0,20}$/),
    fc
      .tuple(fc.ipV6(), fc.nat(40), fc.constantFrom(':', '.', '0', 'f', ''))
      .map(([ip, at, c]) => ip.slice(0, at) + c + ip.slice(at + 1)),
  );

  it('accepts exactly what the platform accepts', () => {
    fc.assert(
      fc.property(text, (some) => {
        const expected = !some.includes('%') && (isIPv4(some) || isIPv6(some));
        expect(parsePeerAddress(some.includes('%') ? '' : some) !== undefined).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it('matches as the platform does within one family', () => {
    const v4 = fc.tuple(fc.ipV4(), fc.nat(32), fc.ipV4()).map((row) => [...row, 'ipv4'] as const);
    const v6 = fc.tuple(fc.ipV6(), fc.nat(128), fc.ipV6()).map((row) => [...row, 'ipv6'] as const);
    const near = fc
      .tuple(fc.ipV4(), fc.nat(32), fc.nat(255))
      .map(([ip, bits, last]) => [ip, bits, ip.replace(/\d+$/, String(last)), 'ipv4'] as const);
    fc.assert(
      fc.property(fc.oneof(v4, v6, near), ([network, bits, peer, family]) => {
        fc.pre(!/ffff/i.test(network + peer));
        const list = new BlockList();
        list.addSubnet(network, bits, family);
        expect(isPeerAllowed([`${network}/${bits}`], peer)).toBe(list.check(peer, family));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the addresses in two lists of blocks', () => {
  it.each([
    [[], [], []],
    [['10.0.0.0/8'], [], ['10.0.0.0/8']],
    [[], ['10.0.0.0/8'], ['10.0.0.0/8']],
    [['10.0.0.0/8'], ['10.1.0.0/16', '192.0.2.1'], ['10.1.0.0/16']],
    [
      ['10.1.0.0/16', '2001:db8::/32'],
      ['10.0.0.0/8', '2001:db8:1::/48'],
      ['10.1.0.0/16', '2001:db8:1::/48'],
    ],
    [['10.0.0.0/8'], ['10.0.0.0/8'], ['10.0.0.0/8']],
    [['10.0.0.0/8'], ['192.0.2.0/24'], undefined],
    [['10.0.0.0/8'], ['nonsense'], undefined],
  ])('%j and %j are %j', (first, second, common) => {
    expect(intersectCidrs(first, second)).toEqual(common);
  });
});
