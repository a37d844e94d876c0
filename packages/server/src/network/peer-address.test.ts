/** Whose address counts (TOKEN-5, THREAT-40). */
import { describe, expect, it } from 'vitest';
import { createPeerAddressReader, createProxyCheck, wideBlocks } from './peer-address.js';

const PROXIES = ['10.0.0.0/8', '127.0.0.1', '2001:db8::/32'];

describe('the peer address', () => {
  it.each<[string, readonly string[], string | undefined, string | null, string | undefined]>([
    ['is that of the socket', [], '203.0.113.9', null, '203.0.113.9'],
    ['ignores the header without proxies', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['ignores the header of a stranger', PROXIES, '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['is what a proxy says', PROXIES, '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['is what an IPv6 proxy says', PROXIES, '2001:db8::7', '198.51.100.1', '198.51.100.1'],
    ['is the last address that is no proxy', PROXIES, '10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['does not believe what the caller wrote', PROXIES, '10.1.2.3', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['is the first proxy when all are proxies', PROXIES, '10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['is the proxy where it says nothing', PROXIES, '10.1.2.3', null, '10.1.2.3'],
    ['is not known where a proxy writes no address', PROXIES, '10.1.2.3', 'unknown', undefined],
    ['is not known where a proxy writes nothing', PROXIES, '10.1.2.3', '', undefined],
    ['is not known where a proxy adds a port', PROXIES, '10.1.2.3', '198.51.100.1:4711', undefined],
    ['knows IPv4 in IPv6 clothing', PROXIES, '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['knows bracketed IPv6', PROXIES, '10.1.2.3', '[2a00::1]', '2a00::1'],
    ['leaves the zone out', [], 'fe80::1%eth0', null, 'fe80::1'],
    ['is not known without a socket', PROXIES, undefined, '198.51.100.1', undefined],
  ])('%s', (_name, proxies, socket, header, expected) => {
    const request = new Request('http://postern.test', {
      headers: header === null ? {} : { 'x-forwarded-for': header },
    });
    const info = { incoming: { socket: { remoteAddress: socket } } };
    expect(createPeerAddressReader(createProxyCheck(proxies))(request, info)).toBe(expected);
  });
});

it('V10: a block that holds more than proxies is wide', () => {
  const narrow = ['10.0.0.5', '10.0.0.0/24', '192.0.2.0/28', '2001:db8::1', '2001:db8::/64', '127.0.0.1/32'];
  const wide = ['10.0.0.0/8', '10.0.0.0/23', '0.0.0.0/0', '2001:db8::/48', '::/0'];
  expect(wideBlocks([...narrow, ...wide])).toEqual(wide);
});
