/**
 * A public key that Postern trusts to sign identity documents, the certificate that brought it (CERT-3), and what it may
 * vouch for (DOC-5, DOC-7, DOC-9, THREAT-10, THREAT-11).
 */
import type { DigestAlgorithm, EpochMillis, SignatureAlgorithm } from '@postern/ports';

/** Which proof a certificate checks: a PKCS#7 document, or an identity document with its RSA signature (CERT-3). */
export type CertificateType = 'pkcs7' | 'identity';

/** The three sets in which the provider publishes its certificates, named by the metadata path that they verify. */
export type BuiltInKind = 'dsa' | 'rsa' | 'rsa2048';

/** The digest under a certificate's own signature. `none`: a scheme that signs without one (EdDSA). */
export type CertificateDigest = DigestAlgorithm | 'sha224' | 'none';

/** What `parseCertificate` reads from a certificate. Its own signature is not verified: trust is "it is in our list". */
export interface ParsedCertificate {
  /** The text as it was given, which a read returns. */
  readonly pem: string;
  /** DER SubjectPublicKeyInfo. Keep this one array: verifiers cache keys by its identity. */
  readonly spki: Uint8Array;
  readonly keyType: 'rsa' | 'dsa';
  /** Length of the RSA modulus or of the DSA prime, in bits. */
  readonly keyBits: number;
  /** The issuer's whole DER `Name`, as encoded in the certificate. */
  readonly issuerDer: Uint8Array;
  /** Content bytes of the serial number's INTEGER. */
  readonly serialDer: Uint8Array;
  readonly notBefore: EpochMillis;
  readonly notAfter: EpochMillis;
  readonly signatureDigest: CertificateDigest;
}

/** A certificate in the trust store: built-in (`kind`, `regions`) or registered by an operator (`name`). */
export interface TrustedCertificate extends ParsedCertificate {
  readonly type: CertificateType;
  /** The name under which an operator registered it. Built-in certificates have none. */
  readonly name?: string;
  /** Of a built-in certificate: the set that it came from. */
  readonly kind?: BuiltInKind;
  /**
   * The regions whose documents this key may sign (THREAT-11). Absent on registered certificates: any region.
   * Never empty.
   */
  readonly regions?: readonly string[];
  /** Of a built-in certificate: the regions that name this very certificate, where `regions` are those of its key. */
  readonly publishedFor?: readonly string[];
}

/** Whether the certificate's own signature is over a SHA-1 digest (CERT-6). */
export function isSha1Signed(certificate: Pick<ParsedCertificate, 'signatureDigest'>): boolean {
  return certificate.signatureDigest === 'sha1';
}

/**
 * Why to reject a signature of this algorithm by this certificate, or undefined. The key's type decides the
 * set of algorithms: a message that names another does not get to choose.
 */
export function refusalOfSigner(
  certificate: TrustedCertificate,
  algorithm: SignatureAlgorithm,
  trustStore: { isRefusedAsSha1(certificate: TrustedCertificate): boolean },
): string | undefined {
  if (!algorithm.startsWith(certificate.keyType)) return 'key_type_mismatch';
  if (trustStore.isRefusedAsSha1(certificate)) return 'sha1_certificate_refused';
  return undefined;
}

/** Whether a signature of this algorithm is over a SHA-1 digest: every DSA document (DOC-9). */
export function isSha1(algorithm: SignatureAlgorithm): boolean {
  return algorithm === 'rsa-sha1' || algorithm === 'dsa-sha1';
}

/** Whether the certificate was valid at an instant, both ends included. */
export function isValidAt(certificate: TrustedCertificate, instant: EpochMillis): boolean {
  return certificate.notBefore <= instant && instant <= certificate.notAfter;
}

/** Whether documents of the region may be signed with this key. A certificate without regions may sign for any (CERT-9). */
export function maySignFor(certificate: TrustedCertificate, region: string): boolean {
  return certificate.regions === undefined || certificate.regions.includes(region);
}

/** How an audit event names the certificate: the operator's name, or kind and regions of a built-in one. */
export function certificateLabel(certificate: TrustedCertificate): string {
  if (certificate.name !== undefined) return certificate.name;
  return [certificate.kind ?? certificate.type, ...(certificate.regions ?? [])].join(' ');
}
