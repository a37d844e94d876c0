/** Which algorithms may be named, and named together (DOC-6, THREAT-10). */
import { constructed, primitive, writeBer } from '@postern/internal';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../test/refusal.js';
import { agreedAlgorithm, readDigestAlgorithm, readSignatureAlgorithm } from './cms-algorithms.js';
import { DerCursor } from './der-cursor.js';
import { encodeOid } from './der-oid.js';

const NULL = primitive(0x05);
const identifier = (dotted: string, ...parameters: Parameters<typeof constructed>[1]) =>
  new DerCursor(writeBer(constructed(0x30, [primitive(0x06, encodeOid(dotted)), ...parameters])));

it.each([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])('%s is %s, with NULL or without', (dotted, digest) => {
  expect(readDigestAlgorithm(identifier(dotted))).toBe(digest);
  expect(readDigestAlgorithm(identifier(dotted, NULL))).toBe(digest);
});

it.each(['1.2.840.113549.2.5', '2.16.840.1.101.3.4.2.4', '2.16.840.1.101.3.4.2.10', '1.3'])(
  'digest %s is unknown',
  async (dotted) => {
    expect(await refusalOf(() => readDigestAlgorithm(identifier(dotted)))).toBe('cms_digest_unknown');
  },
);

it.each([
  ['a sequence', [constructed(0x30, [])], 'ber_unexpected_tag'],
  ['a NULL with content', [primitive(0x05, [0])], 'cms_algorithm_parameters'],
  ['two NULLs', [NULL, NULL], 'ber_unexpected_element'],
])('parameters may not be %s', async (_name, parameters, reason) => {
  expect(await refusalOf(() => readDigestAlgorithm(identifier('1.3.14.3.2.26', ...parameters)))).toBe(reason);
});

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
    expect(agreedAlgorithm(readSignatureAlgorithm(identifier(dotted)), digest)).toBe(algorithm);
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
    const agree = () => agreedAlgorithm(readSignatureAlgorithm(identifier(dotted)), digest);
    expect(await refusalOf(agree)).toBe('cms_algorithms_disagree');
  });

  it.each([
    ['1.2.840.113549.1.1.4', 'MD5 with RSA'],
    ['1.2.840.113549.1.1.10', 'RSA-PSS'],
    ['1.2.840.10045.4.3.2', 'ECDSA'],
    ['1.3.101.112', 'Ed25519'],
  ])('%s (%s) is unknown', async (dotted) => {
    expect(await refusalOf(() => readSignatureAlgorithm(identifier(dotted)))).toBe('cms_signature_algorithm_unknown');
  });
});
