/** Wycheproof RSA and DSA signatures (THREAT-8, THREAT-9): forged padding, malformed DER, r and s out of range. */
import type { SignatureAlgorithm } from '@postern/ports';
import type { CryptoContractCase } from '@postern/testkit';
import { createTally, type SignatureVector } from '@postern/testkit';
import { bytesOf, hasWycheproof, readWycheproof, type WycheproofGroup } from './wycheproof.js';

const FILES: readonly { readonly name: string; readonly file: string }[] = [
  { name: 'agrees with Wycheproof on RSA-2048 signatures', file: 'rsa_signature_2048_sha256_test.json' },
  { name: 'agrees with Wycheproof on RSA-1024 signatures', file: 'rsa_pkcs1_1024_sig_gen_test.json' },
  { name: 'agrees with Wycheproof on DSA signatures', file: 'dsa_1024_sha1_legacy_test.json' },
];

/** The algorithms that the port has; Wycheproof also tries SHA-224. */
const ALGORITHMS: ReadonlyMap<string, SignatureAlgorithm> = new Map<string, SignatureAlgorithm>([
  ['Rsa SHA-1', 'rsa-sha1'],
  ['Rsa SHA-256', 'rsa-sha256'],
  ['Rsa SHA-384', 'rsa-sha384'],
  ['Rsa SHA-512', 'rsa-sha512'],
  ['Dsa SHA-1', 'dsa-sha1'],
  ['Dsa SHA-256', 'dsa-sha256'],
]);

/** One case a file. */
export function wycheproofSignatureCases(): readonly CryptoContractCase[] {
  return FILES.map(({ name, file }) => ({
    name,
    available: hasWycheproof(file),
    async run(implementation) {
      const tally = createTally();
      for (const group of readWycheproof(file)) {
        for (const vector of vectorsOf(group)) {
          if (vector === undefined) tally.addUnsupported();
          else await tally.addSignature(implementation, vector);
        }
      }
      return tally.counts();
    },
  }));
}

/** Undefined for each vector of an algorithm that the port does not have. */
function vectorsOf(group: WycheproofGroup): readonly (SignatureVector | undefined)[] {
  const isRsa = group.type.startsWith('Rsa');
  const algorithm = ALGORITHMS.get(`${isRsa ? 'Rsa' : 'Dsa'} ${String(group['sha'])}`);
  const spki = bytesOf(group, spkiMember(group));
  return group.tests.map((test) => {
    const label = `${group.type} ${test.tcId} (${test.comment})`;
    const [data, signature] = [bytesOf(test, 'msg'), bytesOf(test, 'sig')];
    const genuine = isGenuine(group, test.result);
    return algorithm && { label, algorithm, spki, data, signature, genuine };
  });
}

function spkiMember(group: WycheproofGroup): 'publicKeyDer' | 'keyDer' {
  return Object.hasOwn(group, 'publicKeyDer') ? 'publicKeyDer' : 'keyDer';
}

/**
 * "acceptable" is about the encoding in files that verify (a missing NULL, a missing leading zero): a strict verifier
 * refuses those. In the file that generates, it is about small keys and old digests: the signatures themselves are right.
 */
function isGenuine(group: WycheproofGroup, result: string): boolean {
  return result === 'valid' || (result === 'acceptable' && group.type === 'RsassaPkcs1Generate');
}
