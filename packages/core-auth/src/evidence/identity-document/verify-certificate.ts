/** What a trusted certificate may vouch for (DOC-5, DOC-7, DOC-9, THREAT-10, THREAT-11), one question a function. */
import type { EpochMillis, SignatureAlgorithm } from '@postern/ports';
import type { TrustedCertificate } from './certificate.js';
import type { TrustStore } from './trust-store.js';

/**
 * Why this certificate may not make a signature of this algorithm, or undefined when it may. The key's type decides the
 * set of algorithms: a message that names another does not get to choose.
 */
export function refusalOfSigner(
  certificate: TrustedCertificate,
  algorithm: SignatureAlgorithm,
  trustStore: TrustStore,
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
