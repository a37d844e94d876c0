/** Which algorithms may be named together (decision R13, threat P10). */
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../test/refusal.js';
import { digestAlgorithmOf, signatureAlgorithmOf } from './cms-algorithms.js';
import { encodeOid } from './der-oid.js';

it.each([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])('%s is %s', (dotted, digest) => {
  expect(digestAlgorithmOf(encodeOid(dotted))).toBe(digest);
});

it.each(['1.2.840.113549.2.5', '2.16.840.1.101.3.4.2.4', '2.16.840.1.101.3.4.2.10', '1.3'])(
  'digest %s is unknown',
  async (dotted) => {
    expect(await refusalOf(() => digestAlgorithmOf(encodeOid(dotted)))).toBe('cms_digest_unknown');
  },
);

const ANY_RSA = '1.2.840.113549.1.1.1';
const ANY_DSA = '1.2.840.10040.4.1';

describe('a signature algorithm', () => {
  it.each([
    [ANY_RSA, 'sha1', 'rsa-sha1'],
    [ANY_RSA, 'sha256', 'rsa-sha256'],
    [ANY_RSA, 'sha384', 'rsa-sha384'],
    [ANY_RSA, 'sha512', 'rsa-sha512'],
    ['1.2.840.113549.1.1.5', 'sha1', 'rsa-sha1'],
    ['1.2.840.113549.1.1.11', 'sha256', 'rsa-sha256'],
    ['1.2.840.113549.1.1.12', 'sha384', 'rsa-sha384'],
    ['1.2.840.113549.1.1.13', 'sha512', 'rsa-sha512'],
    [ANY_DSA, 'sha1', 'dsa-sha1'],
    [ANY_DSA, 'sha256', 'dsa-sha256'],
    ['1.2.840.10040.4.3', 'sha1', 'dsa-sha1'],
    ['2.16.840.1.101.3.4.3.2', 'sha256', 'dsa-sha256'],
  ] as const)('%s with %s is %s', (dotted, digest, algorithm) => {
    expect(signatureAlgorithmOf(encodeOid(dotted), digest)).toBe(algorithm);
  });

  it.each([
    ['1.2.840.113549.1.1.11', 'sha1'],
    ['1.2.840.113549.1.1.5', 'sha256'],
    ['1.2.840.113549.1.1.13', 'sha384'],
    ['1.2.840.10040.4.3', 'sha256'],
    ['2.16.840.1.101.3.4.3.2', 'sha1'],
    [ANY_DSA, 'sha384'],
    [ANY_DSA, 'sha512'],
  ] as const)('%s contradicts %s', async (dotted, digest) => {
    expect(await refusalOf(() => signatureAlgorithmOf(encodeOid(dotted), digest))).toBe('cms_algorithms_disagree');
  });

  it.each([
    ['1.2.840.113549.1.1.4', 'MD5 with RSA'],
    ['1.2.840.113549.1.1.10', 'RSA-PSS'],
    ['1.2.840.10045.4.3.2', 'ECDSA'],
    ['1.3.101.112', 'Ed25519'],
  ])('%s (%s) is unknown', async (dotted) => {
    expect(await refusalOf(() => signatureAlgorithmOf(encodeOid(dotted), 'sha256'))).toBe(
      'cms_signature_algorithm_unknown',
    );
  });
});
