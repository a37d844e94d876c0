/**
 * The certificates that are trusted without being registered (CERT-4): those of the package, or the host's own list.
 *
 * They are recognised by key: renewed certificates keep their key, and several regions may share one. Each therefore
 * carries the regions of every certificate with its key (THREAT-11).
 */
import { decodeBase64, encodeHex } from '@postern/kernel';
import type { TrustedCertificate } from './certificate.js';
import { parseCertificate } from './certificate-parser.js';
import { encodePem } from './certificate-pem.js';
import { type BuiltInCertificateSource, checkSources, unusableSource } from './certificate-source.js';
import { DEFAULT_CERTIFICATES, type DefaultCertificate } from './default-certificates.js';

let defaults: readonly TrustedCertificate[] | undefined;

/**
 * The certificates that ship with the package. The same array at every call: verifiers keep one parsed key for each.
 *
 * Signatures in the `rsa` set belong to `identity` proofs, those of `dsa` and `rsa2048` to `pkcs7` ones.
 */
export function builtInCertificates(): readonly TrustedCertificate[] {
  defaults ??= withRegionsOfKeys(DEFAULT_CERTIFICATES.map(trustDefault));
  return defaults;
}

/**
 * A host's list in place of the package's. To extend the package's, begin the list with `...builtInCertificates()`.
 *
 * @throws TypeError where an entry is not a usable certificate or names no region
 * @example
 * ```ts
 * trustBuiltIn([...builtInCertificates(), { pem, type: 'pkcs7', regions: ['eusc-de-east-1'] }]);
 * ```
 */
export function trustBuiltIn(sources: readonly BuiltInCertificateSource[]): readonly TrustedCertificate[] {
  checkSources(sources);
  return withRegionsOfKeys(sources.map(trustSource));
}

function trustSource(source: BuiltInCertificateSource, at: number): TrustedCertificate {
  // Those of the package need no second parsing, which takes some hundred milliseconds for all of them.
  const own = defaults?.find((certificate) => certificate === source);
  if (own !== undefined) return own;
  const { regions, kind, type } = source;
  return {
    ...parse(source, at),
    type,
    ...(kind === undefined ? {} : { kind }),
    ...(regions === undefined ? {} : { regions, publishedFor: source.publishedFor ?? regions }),
  };
}

type Parsed = ReturnType<typeof parseCertificate>;

/** A host that creates several methods gives each the same list: parsed once for each entry. */
const parsedSources = new WeakMap<BuiltInCertificateSource, { readonly pem: string; readonly parsed: Parsed }>();

function parse(source: BuiltInCertificateSource, at: number): Parsed {
  const { pem } = source;
  const known = parsedSources.get(source);
  if (known?.pem === pem) return known.parsed;
  try {
    const parsed = parseCertificate(pem);
    parsedSources.set(source, { pem, parsed });
    return parsed;
  } catch (cause) {
    throw unusableSource(at, cause);
  }
}

function trustDefault(source: DefaultCertificate): TrustedCertificate {
  const der = decodeBase64(source.base64) ?? new Uint8Array();
  const publishedFor = source.regions.split(' ');
  const [notBefore, notAfter] = source.validity;
  return {
    type: source.kind === 'rsa' ? 'identity' : 'pkcs7',
    kind: source.kind,
    regions: publishedFor,
    publishedFor,
    pem: encodePem(source.base64),
    spki: der.slice(...source.spkiAt),
    keyType: source.keyType,
    keyBits: source.keyBits,
    issuerDer: der.slice(...source.issuerAt),
    serialDer: der.slice(...source.serialAt),
    notBefore,
    notAfter,
    signatureDigest: source.signatureDigest,
  };
}

/** Gives equal keys one `spki` array and the union of their regions; one certificate for any region frees its key. */
function withRegionsOfKeys(certificates: readonly TrustedCertificate[]): readonly TrustedCertificate[] {
  const byKey = new Map<string, { spki: Uint8Array; regions: Set<string>; anyRegion: boolean }>();
  const sharedOf = ({ spki }: TrustedCertificate) => {
    const id = encodeHex(spki);
    const shared = byKey.get(id) ?? { spki, regions: new Set<string>(), anyRegion: false };
    byKey.set(id, shared);
    return shared;
  };
  for (const certificate of certificates) {
    const shared = sharedOf(certificate);
    if (certificate.regions === undefined) shared.anyRegion = true;
    for (const region of certificate.regions ?? []) shared.regions.add(region);
  }
  return certificates.map((certificate) => {
    const { spki, regions, anyRegion } = sharedOf(certificate);
    const { regions: _, ...rest } = certificate;
    return anyRegion ? { ...rest, spki } : { ...rest, spki, regions: [...regions].sort() };
  });
}
