/** Which digest a certificate's own signature is over (CERT-6). */
import { type AlgorithmIdentifier, RSASSAPSSParams } from 'pkijs';
import type { CertificateDigest } from './certificate.js';
import { invalidCertificate } from './certificate-pem.js';

const RSASSA_PSS = '1.2.840.113549.1.1.10';

const DIGEST_BY_SIGNATURE: ReadonlyMap<string, CertificateDigest> = new Map<string, CertificateDigest>([
  ['1.2.840.113549.1.1.5', 'sha1'],
  ['1.3.14.3.2.29', 'sha1'],
  ['1.2.840.113549.1.1.14', 'sha224'],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.2.840.10040.4.3', 'sha1'],
  ['2.16.840.1.101.3.4.3.1', 'sha224'],
  ['2.16.840.1.101.3.4.3.2', 'sha256'],
  ['2.16.840.1.101.3.4.3.3', 'sha384'],
  ['2.16.840.1.101.3.4.3.4', 'sha512'],
  ['1.2.840.10045.4.1', 'sha1'],
  ['1.2.840.10045.4.3.1', 'sha224'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['1.3.101.112', 'none'],
  ['1.3.101.113', 'none'],
]);

const DIGEST_BY_OID: ReadonlyMap<string, CertificateDigest> = new Map<string, CertificateDigest>([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.4', 'sha224'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/**
 * The digest that a signature algorithm names. MD5 and whatever is not known is refused rather than taken for strong.
 *
 * @throws AuthError `certificate_invalid`
 */
export function digestOfSignature(algorithm: AlgorithmIdentifier): CertificateDigest {
  const digest =
    algorithm.algorithmId === RSASSA_PSS
      ? DIGEST_BY_OID.get(pssDigestOid(algorithm))
      : DIGEST_BY_SIGNATURE.get(algorithm.algorithmId);
  if (digest === undefined) throw invalidCertificate('its signature algorithm is not known');
  return digest;
}

function pssDigestOid(algorithm: AlgorithmIdentifier): string {
  return new RSASSAPSSParams({ schema: algorithm.algorithmParams }).hashAlgorithm.algorithmId;
}
