/** A signature for exponent 3 that nobody's private key made: a cube root whose cube begins like a padded digest. */
import { createHash } from 'node:crypto';

/** DigestInfo of SHA-256 up to the digest. */
const DIGEST_INFO = '3031300d060960864801650304020105000420';

/** For any key of `bits` with exponent 3: eight bytes of padding, the digest, and whatever the cube root brings. */
export function cubeRootForgery(data: Uint8Array, bits: number): Uint8Array {
  const digest = createHash('sha256').update(data).digest('hex');
  const beginning = `0001${'ff'.repeat(8)}00${DIGEST_INFO}${digest}`;
  const freeBits = BigInt(bits - beginning.length * 4);
  const wanted = BigInt(`0x${beginning}`) << freeBits;
  const root = cubeRoot(wanted) + 1n;
  if ((root ** 3n) >> freeBits !== wanted >> freeBits) throw new Error('the cube does not begin as wanted');
  return new Uint8Array(Buffer.from(root.toString(16).padStart(bits / 4, '0'), 'hex'));
}

/** The largest whole number whose cube is not above `value`. */
function cubeRoot(value: bigint): bigint {
  let low = 0n;
  let high = 1n << BigInt(Math.ceil(value.toString(2).length / 3) + 1);
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** 3n <= value) low = middle;
    else high = middle;
  }
  return low;
}
