/** Object identifiers as content octets: written dotted where they are defined, compared as bytes where they are read. */

/** Content octets of a dotted identifier. For constants of this package: no limits, no checks of untrusted text. */
export function encodeOid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const group = [arc % 128];
    for (let high = Math.floor(arc / 128); high > 0; high = Math.floor(high / 128)) group.unshift(128 + (high % 128));
    octets.push(...group);
  }
  return Uint8Array.from(octets);
}

/** Whether two arrays hold the same bytes. For public values: stops at the first difference. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
