/**
 * Which keys may sign a document (DOC-5, CERT-6, THREAT-4, THREAT-11, CERT-5).
 *
 * Built-in certificates come first: an operator's certificate with the issuer and serial of a built-in one is left
 * out unless its key is the same, so that registering can add trust but never take a built-in name over.
 */
import { encodeHex } from '@postern/kernel';
import { isSha1Signed, type TrustedCertificate } from './certificate.js';

export type { TrustedCertificate } from './certificate.js';

export interface TrustStoreInput {
  /** From `builtInCertificates()` or `trustBuiltIn(…)`. */
  readonly builtIn: readonly TrustedCertificate[];
  /** Certificates that operators registered, in any order. */
  readonly registered: readonly TrustedCertificate[];
  /** The method's option of that name (CERT-6). Off by default. */
  readonly allowSha1Signatures?: boolean;
}

/** An immutable view of the trusted certificates. Make a new one when a registration changes. */
export interface TrustStore {
  /** Built-in ones first. */
  readonly certificates: readonly TrustedCertificate[];
  readonly allowSha1Signatures: boolean;
  /**
   * Certificates of type `pkcs7` with exactly this issuer (whole DER `Name`) and serial (content bytes). Usually one or
   * none. Where several are returned a document is verified if any one of them accepts it, its `regions` included.
   */
  findPkcs7Signer(issuerDer: Uint8Array, serialDer: Uint8Array): readonly TrustedCertificate[];
  /** RSA certificates of type `identity`: built-in ones, one a key, then registered ones, one a key. */
  identityCandidates(): readonly TrustedCertificate[];
  /** Whether CERT-6 refuses this certificate, considering every certificate of the store. */
  isRefusedAsSha1(certificate: TrustedCertificate): boolean;
  /** The same decision with its reason, for a read of the certificate. */
  sha1Verdict(certificate: TrustedCertificate): Sha1Verdict;
}

/**
 * `not_sha1`: its own signature uses a better digest. `same_key`: another trusted certificate with the same key does.
 * `allowed`: only because `allowSha1Signatures` is on. `refused`: none of these.
 */
export type Sha1Verdict = 'not_sha1' | 'same_key' | 'allowed' | 'refused';

/** CERT-6 on the certificate's own signature. `trusted` is every certificate of the store. Pure. */
export function sha1Verdict(
  certificate: TrustedCertificate,
  trusted: Iterable<TrustedCertificate>,
  allowSha1Signatures: boolean,
): Sha1Verdict {
  return verdict(certificate, strongKeysOf(trusted), allowSha1Signatures);
}

/** Indexes the certificates. Costs a few microseconds a certificate; a look-up does not depend on their number. */
export function createTrustStore(input: TrustStoreInput): TrustStore {
  const { builtIn, registered, allowSha1Signatures = false } = input;
  const certificates = [...builtIn, ...registered];
  const strongKeys = strongKeysOf(certificates);
  const signers = signersOf(builtIn, registered);
  const identities = [...oneForEachKey(builtIn), ...oneForEachKey(registered)];
  const judge = (certificate: TrustedCertificate) => verdict(certificate, strongKeys, allowSha1Signatures);
  return {
    certificates,
    allowSha1Signatures,
    findPkcs7Signer: (issuerDer, serialDer) =>
      signers.get(encodeHex(serialDer))?.filter((one) => equalBytes(one.issuerDer, issuerDer)) ?? [],
    identityCandidates: () => identities,
    isRefusedAsSha1: (certificate) => judge(certificate) === 'refused',
    sha1Verdict: judge,
  };
}

function verdict(certificate: TrustedCertificate, strongKeys: ReadonlySet<string>, allowed: boolean): Sha1Verdict {
  if (!isSha1Signed(certificate)) return 'not_sha1';
  if (strongKeys.has(encodeHex(certificate.spki))) return 'same_key';
  return allowed ? 'allowed' : 'refused';
}

function strongKeysOf(certificates: Iterable<TrustedCertificate>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const certificate of certificates) {
    if (!isSha1Signed(certificate)) keys.add(encodeHex(certificate.spki));
  }
  return keys;
}

/** PKCS#7 signers by serial. A registered one that only borrows a built-in's issuer and serial is left out (THREAT-4). */
function signersOf(
  builtIn: readonly TrustedCertificate[],
  registered: readonly TrustedCertificate[],
): ReadonlyMap<string, readonly TrustedCertificate[]> {
  const signers = new Map<string, TrustedCertificate[]>();
  const add = (certificate: TrustedCertificate) => {
    if (certificate.type !== 'pkcs7') return;
    const serial = encodeHex(certificate.serialDer);
    const sameSerial = signers.get(serial);
    if (sameSerial === undefined) signers.set(serial, [certificate]);
    else sameSerial.push(certificate);
  };
  for (const certificate of builtIn) add(certificate);
  for (const certificate of registered) {
    const namesakes = builtIn.filter((one) => equalSerialAndIssuer(one, certificate));
    if (namesakes.length === 0 || namesakes.some((one) => equalBytes(one.spki, certificate.spki))) add(certificate);
  }
  return signers;
}

/** One identity certificate for each RSA key, in order of appearance: a key shared by many regions is tried once. */
function oneForEachKey(certificates: readonly TrustedCertificate[]): readonly TrustedCertificate[] {
  const byKey = new Map<string, TrustedCertificate>();
  for (const certificate of certificates) {
    if (certificate.type !== 'identity' || certificate.keyType !== 'rsa') continue;
    const key = encodeHex(certificate.spki);
    if (!byKey.has(key)) byKey.set(key, certificate);
  }
  return [...byKey.values()];
}

function equalSerialAndIssuer(one: TrustedCertificate, other: TrustedCertificate): boolean {
  return equalBytes(one.serialDer, other.serialDer) && equalBytes(one.issuerDer, other.issuerDer);
}

/** Nothing here is secret: issuers, serials and public keys. */
function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}
