/**
 * Counts a peer as one, for rates and limits: an IPv4 address as it is, mapped into IPv6 or not; an IPv6 address by its /64, because one
 * host usually has all addresses of such a network.
 */
export function peerKey(address = ''): string {
  // Most, at every call: nothing to make.
  if (!address.includes(':') && !address.includes('%')) return address;
  const plain = address.split('%', 1)[0] ?? '';
  if (!plain.includes(':')) return plain;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  const network = groups.slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
