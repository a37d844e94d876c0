/**
 * Which peer addresses a login or token is bound to (TOKEN-5, THREAT-40).
 *
 * Strict: no leading zeros (some readers take them for octal), no short forms, no zone in a block. An IPv4-mapped IPv6
 * address is its IPv4 address, on both sides, so that a dual-stack socket does not slip past a bound. Our own, for ipaddr.js
 * accepts `::ffff:010.1.1.1` (ADR 0016).
 */

/** 4 or 16 bytes. */
export type IpAddress = Uint8Array;

export interface Cidr {
  readonly address: IpAddress;
  /** Leading bits that count; the rest of the address is kept as typed and ignored. */
  readonly prefixLength: number;
}

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-fA-F]{1,4}$/;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;
/** The longest IPv6 text is 45 characters; a zone may follow. */
const MAX_TEXT = 128;

/** An IPv4 or IPv6 address, or undefined. A zone is understood on link-local addresses only, where it is part of the route. */
export function parsePeerAddress(text: string): IpAddress | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const zoneAt = text.indexOf('%');
  if (zoneAt === -1) return parseAddress(text);
  const address = parseAddress(text.slice(0, zoneAt));
  const isLinkLocal = address?.length === 16 && address[0] === 0xfe && ((address[1] ?? 0) & 0xc0) === 0x80;
  return isLinkLocal && zoneAt < text.length - 1 ? address : undefined;
}

/** `10.0.0.0/8`, `2001:db8::/32`, or one address; undefined where it is neither. */
export function parseCidr(text: string): Cidr | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const slashAt = text.indexOf('/');
  const addressText = slashAt === -1 ? text : text.slice(0, slashAt);
  const raw = parseRawAddress(addressText);
  if (raw === undefined) return undefined;
  const bits = raw.length * 8;
  let prefixLength = bits;
  if (slashAt !== -1) {
    const prefixText = text.slice(slashAt + 1);
    if (!PREFIX_LENGTH.test(prefixText)) return undefined;
    prefixLength = Number(prefixText);
    if (prefixLength > bits) return undefined;
  }
  if (isMapped(raw) && prefixLength >= 96) return { address: raw.slice(12), prefixLength: prefixLength - 96 };
  return { address: raw, prefixLength };
}

export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  if (cidr.address.length !== address.length) return false;
  for (let at = 0; at * 8 < cidr.prefixLength; at += 1) {
    const bits = Math.min(8, cidr.prefixLength - at * 8);
    const mask = (0xff << (8 - bits)) & 0xff;
    if ((((cidr.address[at] ?? 0) ^ (address[at] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}

/**
 * Whether the bounds admit a peer. Without bounds every peer is admitted; with bounds an unknown or unreadable address is
 * rejected, and an unreadable bound admits no one.
 */
export function isPeerAllowed(boundCidrs: readonly string[], peerAddress: string | undefined): boolean {
  if (boundCidrs.length === 0) return true;
  const peer = peerAddress === undefined ? undefined : parsePeerAddress(peerAddress);
  if (peer === undefined) return false;
  return boundCidrs.some((text) => {
    const cidr = parseCidr(text);
    return cidr !== undefined && cidrContains(cidr, peer);
  });
}

/**
 * The blocks that lie in both lists; an empty list stands for every address.
 *
 * @returns undefined where no address is in both. An unreadable block is in none.
 */
export function intersectCidrs(first: readonly string[], second: readonly string[]): readonly string[] | undefined {
  if (first.length === 0 || second.length === 0) return first.length === 0 ? second : first;
  const common = [
    ...first.filter((text) => second.some((outer) => isBlockWithin(text, outer))),
    ...second.filter((text) => first.some((outer) => isBlockWithin(text, outer))),
  ];
  return common.length === 0 ? undefined : [...new Set(common)];
}

/** Whether every address of one block is in another. */
export function isBlockWithin(innerText: string, outerText: string): boolean {
  const inner = parseCidr(innerText);
  const outer = parseCidr(outerText);
  if (inner === undefined || outer === undefined) return false;
  return inner.prefixLength >= outer.prefixLength && cidrContains(outer, inner.address);
}

function parseAddress(text: string): IpAddress | undefined {
  const raw = parseRawAddress(text);
  return raw !== undefined && isMapped(raw) ? raw.slice(12) : raw;
}

function parseRawAddress(text: string): IpAddress | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** `::ffff:0:0/96`. */
function isMapped(address: IpAddress): boolean {
  if (address.length !== 16) return false;
  return address.subarray(0, 10).every((byte) => byte === 0) && address[10] === 0xff && address[11] === 0xff;
}

function parseIpv4(text: string): IpAddress | undefined {
  const octets = text.split('.');
  if (octets.length !== 4) return undefined;
  const bytes = new Uint8Array(4);
  for (const [at, octet] of octets.entries()) {
    const value = Number(octet);
    if (!OCTET.test(octet) || value > 255) return undefined;
    bytes[at] = value;
  }
  return bytes;
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves;
  const before = parseGroups(head ?? '', tail === undefined);
  const after = tail === undefined ? [] : parseGroups(tail, true);
  if (before === undefined || after === undefined) return undefined;
  const missing = 16 - before.length - after.length;
  // `::` stands for at least one group; without it all eight are spelled out.
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return Uint8Array.from([...before, ...new Array<number>(missing).fill(0), ...after]);
}

/** Bytes of colon-separated groups; the last may be an IPv4 address where the whole ends there. */
function parseGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [at, group] of groups.entries()) {
    const ipv4 = mayEndInIpv4 && at === groups.length - 1 ? parseIpv4(group) : undefined;
    if (ipv4 !== undefined) {
      bytes.push(...ipv4);
    } else {
      if (!GROUP.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
    if (bytes.length > 16) return undefined;
  }
  return bytes;
}
