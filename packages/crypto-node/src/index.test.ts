import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createNodeCrypto } from './index.js';

describe('createNodeCrypto', () => {
  const crypto = createNodeCrypto();

  it('answers at once, without a promise', () => {
    expect(crypto.digest('sha256', new Uint8Array())).toBeInstanceOf(Uint8Array);
    expect(crypto.hmac('sha256', new Uint8Array(), new Uint8Array())).toHaveLength(32);
  });

  it('authenticates as node:crypto does, at every length around those where its own way ends', () => {
    const lengths = [0, 1, 31, 32, 33, 63, 64, 65, 66, 127, 128, 511, 512, 513, 600];
    for (const algorithm of ['sha1', 'sha256', 'sha384', 'sha512'] as const) {
      for (const keyLength of lengths) {
        const key = crypto.bytes(keyLength);
        for (const length of lengths) {
          const data = crypto.bytes(length);
          const expected = new Uint8Array(createHmac(algorithm, key).update(data).digest());
          expect(crypto.hmac(algorithm, key, data)).toEqual(expected);
        }
      }
    }
  });

  it('returns plain arrays, whose slice copies', () => {
    expect(crypto.digest('sha1', new Uint8Array())).not.toBeInstanceOf(Buffer);
    expect(crypto.hmac('sha1', new Uint8Array(), new Uint8Array())).not.toBeInstanceOf(Buffer);
    expect(crypto.bytes(8)).not.toBeInstanceOf(Buffer);
  });

  it.each([0, 1, 32, 100_000])('returns %i random bytes', (length) => {
    expect(crypto.bytes(length)).toHaveLength(length);
  });

  it('returns other bytes each time', () => {
    const seen = new Set(Array.from({ length: 1000 }, () => crypto.bytes(16).join(' ')));
    expect(seen.size).toBe(1000);
  });

  it('supports DSA where node:crypto verifies it', () => {
    expect(crypto.supports('dsa-sha1')).toBe(true);
    expect(crypto.supports('dsa-sha256')).toBe(true);
  });

  it('refuses an algorithm that the port does not name', () => {
    const verify = (algorithm: string) =>
      crypto.verify(algorithm as 'rsa-sha1', new Uint8Array(), new Uint8Array(), new Uint8Array());
    expect(crypto.supports('rsa-md5' as 'rsa-sha1')).toBe(false);
    expect(() => verify('rsa-md5')).toThrow(TypeError);
    expect(() => verify('constructor')).toThrow(TypeError);
  });
});
