/** The suite itself: implementations with the flaws that it is there for must not pass. */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  publicDecrypt,
  verify,
} from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cryptoContractCases } from './crypto-contract.js';
import type { CryptoImplementation } from './crypto-contract-case.js';

const none = new Uint8Array();

const right: CryptoImplementation = {
  supports: () => true,
  verify(algorithm, spki, data, signature) {
    const key = keyOf(spki);
    const [type, digest = ''] = algorithm.split('-');
    if (key.asymmetricKeyType !== type) throw new TypeError('wrong key');
    return verify(digest, data, key, signature);
  },
  digest: (algorithm, data) => createHash(algorithm).update(data).digest(),
  hmac: (algorithm, key, data) => createHmac(algorithm, key).update(data).digest(),
  seal(key, nonce, plaintext, data) {
    checkLengths(key, nonce);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(data);
    return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  },
  open(key, nonce, sealed, data) {
    checkLengths(key, nonce);
    if (sealed.length < 16) return undefined;
    return openWith(key, nonce, sealed.subarray(0, -16), sealed.subarray(-16), data);
  },
};

function checkLengths(key: Uint8Array, nonce: Uint8Array) {
  if (key.length !== 32 || nonce.length !== 12) throw new TypeError('wrong length');
}

function openWith(key: Uint8Array, nonce: Uint8Array, text: Uint8Array, tag: Uint8Array, data: Uint8Array) {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tag.length });
  decipher.setAAD(data).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(text), decipher.final()]);
  } catch {
    return undefined;
  }
}

function keyOf(spki: Uint8Array) {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch (cause) {
    throw new TypeError('no key', { cause });
  }
}

/** Finds the digest somewhere behind the padding and does not ask what follows it (CVE-2006-4339). */
const verifyLeniently: CryptoImplementation['verify'] = (algorithm, spki, data, signature) => {
  if (!algorithm.startsWith('rsa-') || signature.length !== 256) return right.verify(algorithm, spki, data, signature);
  const block = publicDecrypt({ key: keyOf(spki), padding: constants.RSA_NO_PADDING }, signature);
  const digest = createHash(algorithm.slice(4)).update(data).digest();
  return block.subarray(0, 10).equals(Buffer.from('0001ffffffffffffffff', 'hex')) && block.includes(digest);
};

async function failuresOf(implementation: CryptoImplementation): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const { name, available, run } of cryptoContractCases()) {
    if (available) await run(implementation).catch(() => failures.push(name));
  }
  return failures;
}

describe('cryptoContractCases', () => {
  it('passes a right implementation', async () => {
    expect(await failuresOf(right)).toEqual([]);
  });

  const rsa = 'verifies RSA signatures and refuses altered ones';
  const dsa = 'verifies DSA signatures and refuses altered ones, or supports no DSA';
  const exponent = 'verifies with the exponent 3 and refuses a signature computed without the key';
  const misuse = 'throws TypeError for a key of another type or none at all';
  const digests = 'digests as published and as node:crypto does';
  const macs = 'authenticates as node:crypto does, with empty and long keys too';

  const sealing = 'seals as published and as node:crypto does, and opens it again';
  const opening = 'opens nothing that was altered, cut or sealed otherwise';
  const lengths = 'throws TypeError for a key or nonce of another length';

  it.each<[string, Partial<CryptoImplementation>, readonly string[]]>([
    ['says yes to everything', { verify: () => true }, [rsa, dsa, exponent, misuse]],
    ['says no to everything', { verify: () => false }, [rsa, dsa, exponent, misuse]],
    ['supports nothing yet answers', { supports: () => false }, [rsa, dsa, exponent]],
    ['searches the padding for the digest', { verify: verifyLeniently }, [exponent]],
    [
      'ignores bytes after the signature',
      { verify: (algorithm, spki, data, signature) => right.verify(algorithm, spki, data, signature.subarray(0, 128)) },
      [rsa],
    ],
    ['remembers one digest', { digest: () => new Uint8Array(32) }, [digests]],
    [
      'pads an empty key otherwise',
      { hmac: (algorithm, key, data) => right.hmac(algorithm, key.length === 0 ? Uint8Array.of(1) : key, data) },
      [macs],
    ],
    ['encrypts nothing', { seal: (_key, _nonce, plaintext) => plaintext, open: (_k, _n, sealed) => sealed }, [sealing]],
    ['authenticates no data', { open: (key, nonce, sealed) => right.open(key, nonce, sealed, none) }, [sealing]],
    [
      'leaves data out both ways',
      {
        seal: (key, nonce, plaintext) => right.seal(key, nonce, plaintext, none),
        open: (key, nonce, sealed) => right.open(key, nonce, sealed, none),
      },
      [sealing, opening],
    ],
    [
      'ignores bytes after the tag',
      {
        open: (key, nonce, sealed, data) =>
          right.open(key, nonce, sealed.length > 36 ? sealed.subarray(0, 36) : sealed, data),
      },
      [opening],
    ],
    [
      'cuts a long key',
      { seal: (key, nonce, plaintext, data) => right.seal(key.subarray(0, 32), nonce, plaintext, data) },
      [lengths],
    ],
  ])('fails one that %s', async (_, flaw, expected) => {
    expect(await failuresOf({ ...right, ...flaw })).toEqual(expect.arrayContaining([...expected]));
  });

  it('tells every wrong verdict and never only the first', async () => {
    const [first] = cryptoContractCases();
    await expect(first?.run({ ...right, verify: () => true })).rejects.toThrow(/^232 wrong verdicts/);
  });
});
