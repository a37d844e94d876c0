/** Which trusted certificates an operator should renew soon (users ask for this before an expiry stops logins). */
import type { EpochMillis } from '@postern/ports';
import { millisecondsInDay } from 'date-fns/constants';
import type { BuiltInKind, CertificateType, TrustedCertificate } from './certificate.js';
import type { TrustStore } from './trust-store.js';

/** Time enough for a release with new certificates, or for an operator's own. */
export const EXPIRY_WARNING_DAYS = 90;

export interface CertificateWarning {
  readonly status: 'expired' | 'expiring';
  readonly type: CertificateType;
  /** Of a registered certificate. */
  readonly name?: string;
  /** Of a built-in certificate. */
  readonly kind?: BuiltInKind;
  /** Of a built-in certificate: the regions that name it. */
  readonly regions?: readonly string[];
  /** The last instant of its validity. */
  readonly notAfter: EpochMillis;
  /** Whole days until then, rounded towards zero; zero or negative once expired. */
  readonly daysLeft: number;
}

/** Certificates of the store that are expired or expire within 90 days, earliest first. */
export function certificateWarnings(
  trustStore: Pick<TrustStore, 'certificates'>,
  now: EpochMillis,
): readonly CertificateWarning[] {
  const warnings: CertificateWarning[] = [];
  for (const { type, name, kind, publishedFor, notAfter } of trustStore.certificates) {
    const expired = notAfter < now;
    // Elapsed time, not calendar days: those would depend on the time zone of the machine.
    const daysLeft = Math.trunc((notAfter - now) / millisecondsInDay);
    if (!expired && daysLeft >= EXPIRY_WARNING_DAYS) continue;
    warnings.push({
      status: expired ? 'expired' : 'expiring',
      type,
      ...(name === undefined ? {} : { name }),
      ...(kind === undefined ? {} : { kind }),
      ...(publishedFor === undefined ? {} : { regions: publishedFor }),
      notAfter,
      daysLeft,
    });
  }
  return warnings.sort((one, other) => one.notAfter - other.notAfter);
}

/** Registered certificates that verify nothing while SHA-1 is refused (CERT-7): registering one is not an error. */
export function refusedCertificates(
  trustStore: Pick<TrustStore, 'certificates' | 'isRefusedAsSha1'>,
): readonly TrustedCertificate[] {
  return [...trustStore.certificates].filter((one) => one.name !== undefined && trustStore.isRefusedAsSha1(one));
}
