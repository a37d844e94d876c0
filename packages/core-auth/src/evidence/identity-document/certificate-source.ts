/** One entry of a host's own list of built-in certificates, and what can be checked of it without an X.509 parser. */
import type { BuiltInKind, CertificateType } from './certificate.js';
import { parsePem } from './certificate-pem.js';

/** One entry of a host's own list. A `TrustedCertificate` of `builtInCertificates()` is one too. */
export interface BuiltInCertificateSource {
  /** One PEM certificate, or base64 of it. */
  readonly pem: string;
  readonly type: CertificateType;
  readonly kind?: BuiltInKind;
  /** Regions whose documents this certificate verifies; undefined means any. */
  readonly regions?: readonly string[] | undefined;
  /** The regions that name this very certificate, where `regions` are those of its key. */
  readonly publishedFor?: readonly string[] | undefined;
}

/** @throws TypeError where an entry is not one PEM block, or its list of regions is empty */
export function checkSources(sources: readonly BuiltInCertificateSource[]): void {
  for (const [at, { pem, regions }] of sources.entries()) {
    if (regions?.length === 0) throw new TypeError(`built-in certificate ${at}: regions must not be empty`);
    try {
      parsePem(pem);
    } catch (cause) {
      throw unusableSource(at, cause);
    }
  }
}

export function unusableSource(at: number, cause: unknown): TypeError {
  return new TypeError(`built-in certificate ${at}: not a usable certificate`, { cause });
}
