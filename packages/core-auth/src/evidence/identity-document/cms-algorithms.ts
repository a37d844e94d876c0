/**
 * Which algorithms a signer may name (decision R13, threat P10). A digest and a signature algorithm must agree with each
 * other; whether the key may use the pair is decided where the key is known (`verify-pkcs7.ts`).
 */
import type { DigestAlgorithm, SignatureAlgorithm } from '@postern/ports';
import { unverified } from '../../errors.js';
import { type DerCursor, TAG } from './der-cursor.js';
import { encodeOid, equalBytes } from './der-oid.js';

type KeyType = 'rsa' | 'dsa';

const DIGESTS: readonly { readonly oid: Uint8Array; readonly digest: DigestAlgorithm }[] = [
  { oid: encodeOid('2.16.840.1.101.3.4.2.1'), digest: 'sha256' },
  { oid: encodeOid('1.3.14.3.2.26'), digest: 'sha1' },
  { oid: encodeOid('2.16.840.1.101.3.4.2.2'), digest: 'sha384' },
  { oid: encodeOid('2.16.840.1.101.3.4.2.3'), digest: 'sha512' },
];

/** Without `digest` the identifier names only the key type, and the signer's digest is the signature's. */
const SIGNATURES: readonly {
  readonly oid: Uint8Array;
  readonly keyType: KeyType;
  readonly digest: DigestAlgorithm | undefined;
}[] = [
  { oid: encodeOid('1.2.840.113549.1.1.11'), keyType: 'rsa', digest: 'sha256' },
  { oid: encodeOid('1.2.840.113549.1.1.1'), keyType: 'rsa', digest: undefined },
  { oid: encodeOid('1.2.840.113549.1.1.5'), keyType: 'rsa', digest: 'sha1' },
  { oid: encodeOid('1.2.840.113549.1.1.12'), keyType: 'rsa', digest: 'sha384' },
  { oid: encodeOid('1.2.840.113549.1.1.13'), keyType: 'rsa', digest: 'sha512' },
  { oid: encodeOid('1.2.840.10040.4.3'), keyType: 'dsa', digest: 'sha1' },
  { oid: encodeOid('2.16.840.1.101.3.4.3.2'), keyType: 'dsa', digest: 'sha256' },
  { oid: encodeOid('1.2.840.10040.4.1'), keyType: 'dsa', digest: undefined },
];

const PAIRS: Readonly<Record<KeyType, Readonly<Partial<Record<DigestAlgorithm, SignatureAlgorithm>>>>> = {
  rsa: { sha1: 'rsa-sha1', sha256: 'rsa-sha256', sha384: 'rsa-sha384', sha512: 'rsa-sha512' },
  dsa: { sha1: 'dsa-sha1', sha256: 'dsa-sha256' },
};

/**
 * Reads an AlgorithmIdentifier and returns the content octets of its identifier. Parameters are absent or NULL: every
 * algorithm above has none, and parameters would let the sender choose.
 */
export function readAlgorithmIdentifier(cursor: DerCursor, tag: number = TAG.sequence): Uint8Array {
  cursor.enter(tag);
  const oid = cursor.content(TAG.objectIdentifier);
  if (!cursor.atEnd() && cursor.content(TAG.null).length !== 0) throw unverified('cms_algorithm_parameters');
  cursor.leave();
  return oid;
}

/** @throws AuthError `evidence_unverified` when the identifier is no digest that we know. */
export function digestAlgorithmOf(oid: Uint8Array): DigestAlgorithm {
  const known = DIGESTS.find((entry) => equalBytes(entry.oid, oid));
  if (known === undefined) throw unverified('cms_digest_unknown');
  return known.digest;
}

/** @throws AuthError `evidence_unverified` when the identifier is unknown or contradicts the digest. */
export function signatureAlgorithmOf(oid: Uint8Array, digest: DigestAlgorithm): SignatureAlgorithm {
  const known = SIGNATURES.find((entry) => equalBytes(entry.oid, oid));
  if (known === undefined) throw unverified('cms_signature_algorithm_unknown');
  const pair = PAIRS[known.keyType][digest];
  if (pair === undefined || (known.digest !== undefined && known.digest !== digest)) {
    throw unverified('cms_algorithms_disagree');
  }
  return pair;
}
