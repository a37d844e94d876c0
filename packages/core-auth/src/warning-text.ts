/** Warnings for operators in words (CERT-7: certificates expire, and with them every login that they verify). */
import { formatRfc3339 } from '@postern/kernel';
import type { TrustedCertificate } from './evidence/identity-document/certificate.js';
import type { CertificateWarning } from './evidence/identity-document/certificate-warnings.js';

export function certificateWarningText(warning: CertificateWarning): string {
  const { name, kind, type, regions, status, notAfter, daysLeft } = warning;
  const which = name === undefined ? `built-in ${kind ?? type} certificate` : `certificate ${name} (${type})`;
  const where = regions === undefined ? '' : ` of ${regions.join(', ')}`;
  const day = formatRfc3339(notAfter).slice(0, 10);
  return status === 'expired'
    ? `the ${which}${where} expired on ${day}`
    : `the ${which}${where} expires on ${day}, in ${daysLeft} days`;
}

export function refusedCertificateText({ name, type }: TrustedCertificate): string {
  return `the certificate ${name} (${type}) verifies nothing: it is signed with SHA-1, which is not allowed here`;
}
