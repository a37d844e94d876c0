/** The caller's address: the socket's, or the one that a trusted proxy reports (TOKEN-5, THREAT-40). */
import { BlockList, isIP } from 'node:net';

interface SocketInfo {
  readonly incoming: { readonly socket: { readonly remoteAddress?: string | undefined } };
}

/** @param trustedProxies addresses and blocks. @returns whether an address is one of them. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const block of trustedProxies) {
    const [address = '', prefix] = block.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = plainAddress(address);
    return plain !== undefined && trusted.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}

/** IPv4 and IPv6: a block with fewer bits is that of a network, not of its proxies. */
const NARROW_BITS: Readonly<Record<number, number>> = { 4: 24, 6: 64 };

/** Every host of a trusted block can forge the address of its callers. @returns the blocks wider than /24, of IPv6 than /64. */
export function wideBlocks(trustedProxies: readonly string[]): readonly string[] {
  return trustedProxies.filter((block) => {
    const [address = '', prefix] = block.split('/');
    return prefix !== undefined && Number(prefix) < (NARROW_BITS[isIP(address)] ?? 0);
  });
}

/**
 * @param isTrusted whether an address is that of a proxy whose `X-Forwarded-For` counts. Without any the header is ignored.
 * @returns reads the caller's address from that of the socket and the header. The header is read from its right end,
 *   where the trusted proxies write: the first address that is not one of them is the caller. What stands left of it the
 *   caller may have made up.
 */
export function createPeerAddressReader(
  isTrusted: (address: string) => boolean,
): (request: Request, info: SocketInfo) => string | undefined {
  return ({ headers }, { incoming }) => {
    const socketAddress = incoming.socket.remoteAddress;
    const forwardedFor = headers.get('x-forwarded-for');
    if (socketAddress === undefined) return undefined;
    let current = plainAddress(socketAddress);
    if (current === undefined || forwardedFor === null || !isTrusted(current)) return current;
    for (const entry of forwardedFor.split(',').reverse()) {
      const address = plainAddress(entry.trim());
      // A trusted proxy that writes no address: the caller is unknown.
      if (address === undefined) return undefined;
      current = address;
      if (!isTrusted(current)) return current;
    }
    return current;
  };
}

/** Without zone or brackets, and IPv4 in its own form: `::ffff:192.0.2.1` is `192.0.2.1`. */
function plainAddress(text: string): string | undefined {
  if (isIP(text) === 4) return text;
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  const address = mapped ?? bare;
  return isIP(address) === 0 ? undefined : address;
}
