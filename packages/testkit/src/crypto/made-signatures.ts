/** Signatures with keys made on the spot, altered in every way a forger would try first; they run everywhere. */
import type { CryptoContractCase, CryptoImplementation } from './crypto-contract-case.js';
import { alterations } from './made-alterations.js';
import { cubeRootForgery } from './made-cube-root.js';
import { type MadeKey, makeKey } from './made-keys.js';
import { createTally, verdictOf } from './vector-tally.js';

const DATA = new TextEncoder().encode('{"instanceId":"i-0123456789abcdef0","region":"us-west-2"}');

/** Four cases: RSA, DSA, the exponent 3, and misuse. */
export function madeSignatureCases(): readonly CryptoContractCase[] {
  return [
    {
      name: 'verifies RSA signatures and refuses altered ones',
      available: true,
      run: (implementation) => altered(implementation, [makeKey('rsa', 1024), makeKey('rsa', 2048)]),
    },
    {
      name: 'verifies DSA signatures and refuses altered ones, or supports no DSA',
      available: true,
      run: (implementation) => altered(implementation, [makeKey('dsa', 1024)]),
    },
    {
      name: 'verifies with the exponent 3 and refuses a signature computed without the key',
      available: true,
      run: exponentThree,
    },
    { name: 'throws TypeError for a key of another type or none at all', available: true, run: misuse },
  ];
}

async function altered(implementation: CryptoImplementation, keys: readonly MadeKey[]) {
  const tally = createTally();
  for (const key of keys) {
    for (const algorithm of key.algorithms) {
      const signature = key.sign(algorithm, DATA);
      for (const { label, genuine, ...changed } of alterations(key, algorithm, DATA, signature)) {
        const vector = { label: `${algorithm} ${key.bits}: ${label}`, genuine, algorithm, ...changed };
        await tally.addSignature(implementation, vector);
      }
    }
  }
  return tally.counts();
}

/** Verifiers that search the padding for the digest accept the forgery (CVE-2006-4339 and its many heirs, THREAT-8). */
async function exponentThree(implementation: CryptoImplementation) {
  const tally = createTally();
  const key = makeKey('rsa', 2048, 3);
  const vector = { algorithm: 'rsa-sha256', spki: key.spki, data: DATA } as const;
  const genuine = key.sign('rsa-sha256', DATA);
  await tally.addSignature(implementation, { ...vector, label: 'genuine, e=3', signature: genuine, genuine: true });
  const forged = cubeRootForgery(DATA, 2048);
  await tally.addSignature(implementation, { ...vector, label: 'cube root, e=3', signature: forged, genuine: false });
  return tally.counts();
}

async function misuse(implementation: CryptoImplementation) {
  const tally = createTally();
  const [rsa, dsa] = [makeKey('rsa', 1024), makeKey('dsa', 1024)];
  const throwsTypeError = async (label: string, algorithm: 'rsa-sha256' | 'dsa-sha1', spki: Uint8Array) => {
    const verdict = await verdictOf(implementation, { algorithm, spki, data: DATA, signature: new Uint8Array(128) });
    tally.add(`${label}: ${verdict}`, true, verdict === 'TypeError');
  };
  await throwsTypeError('a DSA key for RSA', 'rsa-sha256', dsa.spki);
  await throwsTypeError('an RSA key for DSA', 'dsa-sha1', rsa.spki);
  await throwsTypeError('an empty key', 'rsa-sha256', new Uint8Array());
  await throwsTypeError('a truncated key', 'rsa-sha256', rsa.spki.slice(0, -1));
  await throwsTypeError('a key that is no DER', 'rsa-sha256', new TextEncoder().encode('-----BEGIN PUBLIC KEY-----'));
  return tally.counts();
}
