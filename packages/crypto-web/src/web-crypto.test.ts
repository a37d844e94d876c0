/** The contract of the cryptographic ports on two WebCryptos: the verdicts are those of node:crypto, without DSA. */
import { webcrypto } from 'node:crypto';
import { Crypto as PolyfillCrypto } from '@peculiar/webcrypto';
import { wycheproofCases } from '@postern/internal';
import { cryptoContractCases } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createWebCrypto, type WebCrypto } from './web-crypto.js';

/** Vectors tried: a suite that reads none would pass too. What is unsupported is DSA, and SHA-224 with RSA-1024. */
const EXPECTED: Readonly<Record<string, object>> = {
  'verifies RSA signatures and refuses altered ones': { checked: 264, genuine: 32, unsupported: 0 },
  'verifies DSA signatures and refuses altered ones, or supports no DSA': { checked: 0, genuine: 0, unsupported: 68 },
  'verifies with the exponent 3 and refuses a signature computed without the key': {
    checked: 2,
    genuine: 1,
    unsupported: 0,
  },
  'throws TypeError for a key of another type or none at all': { checked: 5, genuine: 5, unsupported: 0 },
  'digests as published and as node:crypto does': { checked: 56, genuine: 56, unsupported: 0 },
  'authenticates as node:crypto does, with empty and long keys too': { checked: 52, genuine: 52, unsupported: 0 },
  'seals as published and as node:crypto does, and opens it again': { checked: 21, genuine: 21, unsupported: 0 },
  'opens nothing that was altered, cut or sealed otherwise': { checked: 127, genuine: 1, unsupported: 0 },
  'throws TypeError for a key or nonce of another length': { checked: 12, genuine: 12, unsupported: 0 },
  'agrees with Wycheproof on RSA-2048 signatures': { checked: 259, genuine: 9, unsupported: 0 },
  'agrees with Wycheproof on RSA-1024 signatures': { checked: 25, genuine: 25, unsupported: 8 },
  'agrees with Wycheproof on DSA signatures': { checked: 0, genuine: 0, unsupported: 906 },
  'agrees with Wycheproof on HMAC-SHA-256': { checked: 174, genuine: 66, unsupported: 0 },
};

const IMPLEMENTATIONS = [
  { on: 'the WebCrypto of the runtime', given: webcrypto as unknown as WebCrypto },
  { on: '@peculiar/webcrypto', given: new PolyfillCrypto() },
];

describe.each(IMPLEMENTATIONS)('the crypto contract on $on', ({ given }) => {
  const { subtle } = given;

  for (const { name, available, run } of [...cryptoContractCases(), ...wycheproofCases()]) {
    it.skipIf(!available)(name, async () => {
      expect(await run(createWebCrypto(given))).toEqual(EXPECTED[name]);
    });
  }

  it('imports a key once for each hash, and again in another array', async () => {
    let imports = 0;
    const counting = new Proxy(subtle, {
      get(target, name) {
        if (name === 'importKey') imports += 1;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const { publicKey } = await subtle.generateKey(
      { name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' },
      true,
      ['sign', 'verify'],
    );
    const spki = new Uint8Array(await subtle.exportKey('spki', publicKey));
    const verifier = createWebCrypto({ subtle: counting, getRandomValues: given.getRandomValues });
    const nothing = new Uint8Array();
    for (let round = 0; round < 3; round += 1) await verifier.verify('rsa-sha256', spki, nothing, nothing);
    expect(imports).toBe(1);
    await verifier.verify('rsa-sha512', spki, nothing, nothing);
    expect(imports).toBe(2);
    await verifier.verify('rsa-sha256', spki.slice(), nothing, nothing);
    expect(imports).toBe(3);
  });

  it('copies shared memory before it is used', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(3)).fill(0x61);
    const plain = new Uint8Array(3).fill(0x61);
    const verifier = createWebCrypto(given);
    expect(await verifier.digest('sha256', shared)).toEqual(await verifier.digest('sha256', plain));
  });

  it('draws as many bytes as are asked for, and others each time', () => {
    const random = createWebCrypto(given);
    for (const length of [0, 1, 16, 65_536, 65_537, 200_000]) expect(random.bytes(length)).toHaveLength(length);
    expect(random.bytes(16)).not.toEqual(random.bytes(16));
    // The tail of a long draw is filled by a call of its own.
    expect(random.bytes(65_568).slice(65_536)).not.toEqual(new Uint8Array(32));
  });
});

it('takes the WebCrypto of the platform where none is given', async () => {
  const abc = new TextEncoder().encode('abc');
  expect(await createWebCrypto().digest('sha1', abc)).toEqual(
    await createWebCrypto(IMPLEMENTATIONS[1]?.given).digest('sha1', abc),
  );
});

it('says what to pass where the platform has none', () => {
  // An insecure page of a browser has `crypto` without `subtle`.
  const bare = { getRandomValues: () => undefined } as unknown as WebCrypto;
  expect(() => createWebCrypto(bare)).toThrow(
    new TypeError(
      'createWebCrypto: the platform has no crypto.subtle; pass one, such as new Crypto() of @peculiar/webcrypto',
    ),
  );
});
