/** Which digest a certificate is signed with (CERT-6). */
import * as asn1 from 'asn1js';
import { describe, expect, it } from 'vitest';
import { certificatePem, SIGNED_WITH } from '../../../test/certificates.js';
import { isSha1Signed } from './certificate.js';
import { parseCertificate } from './certificate-parser.js';

const digestOf = (signedWith: string, signatureParameters?: asn1.BaseBlock) =>
  parseCertificate(
    certificatePem({ signedWith, ...(signatureParameters === undefined ? {} : { signatureParameters }) }),
  ).signatureDigest;

/** RSASSA-PSS-params with a hash algorithm. */
const pssWith = (oid: string) =>
  new asn1.Sequence({
    value: [
      new asn1.Constructed({
        idBlock: { tagClass: 3, tagNumber: 0 },
        value: [new asn1.Sequence({ value: [new asn1.ObjectIdentifier({ value: oid })] })],
      }),
    ],
  });

describe('the digest of a certificate', () => {
  it.each([
    [SIGNED_WITH.sha1Rsa, 'sha1'],
    [SIGNED_WITH.sha256Rsa, 'sha256'],
    [SIGNED_WITH.sha1Dsa, 'sha1'],
    [SIGNED_WITH.sha384Ecdsa, 'sha384'],
    [SIGNED_WITH.ed25519, 'none'],
  ])('under %s is %s', (signedWith, digest) => {
    expect(digestOf(signedWith)).toBe(digest);
  });

  it('under RSA-PSS is what the parameters name, SHA-1 where they name none', () => {
    expect(digestOf(SIGNED_WITH.pss, pssWith('2.16.840.1.101.3.4.2.1'))).toBe('sha256');
    expect(digestOf(SIGNED_WITH.pss, new asn1.Sequence({ value: [] }))).toBe('sha1');
  });

  it('is SHA-1 for exactly one of the names', () => {
    const digests = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'none'] as const;
    expect(digests.filter((signatureDigest) => isSha1Signed({ signatureDigest }))).toEqual(['sha1']);
  });
});
