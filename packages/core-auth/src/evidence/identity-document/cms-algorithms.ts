/**
 * Which algorithms a signer may name (DOC-6, THREAT-10). A digest and a signature algorithm must agree with each
 * other; whether the key may use the pair is decided where the key is known (`verify-pkcs7.ts`).
 */
import type { DigestAlgorithm, SignatureAlgorithm } from '@postern/ports';
import { unverified } from '../../errors.js';
import { type DerCursor, TAG } from './der-cursor.js';
import { encodeOid } from './der-oid.js';

/** A signature algorithm as its identifier names it. One object each: compared by identity. */
export interface NamedSignature {
  readonly keyType: 'rsa' | 'dsa';
  /** Undefined where the identifier names only the key type: the signer's digest is the signature's. */
  readonly digest: DigestAlgorithm | undefined;
}

const DIGEST_OIDS: readonly Uint8Array[] = [
  encodeOid('2.16.840.1.101.3.4.2.1'),
  encodeOid('1.3.14.3.2.26'),
  encodeOid('2.16.840.1.101.3.4.2.2'),
  encodeOid('2.16.840.1.101.3.4.2.3'),
];
const DIGESTS: readonly DigestAlgorithm[] = ['sha256', 'sha1', 'sha384', 'sha512'];

const SIGNATURE_OIDS: readonly Uint8Array[] = [
  encodeOid('1.2.840.113549.1.1.11'),
  encodeOid('1.2.840.113549.1.1.1'),
  encodeOid('1.2.840.113549.1.1.5'),
  encodeOid('1.2.840.113549.1.1.12'),
  encodeOid('1.2.840.113549.1.1.13'),
  encodeOid('1.2.840.10040.4.3'),
  encodeOid('2.16.840.1.101.3.4.3.2'),
  encodeOid('1.2.840.10040.4.1'),
];
const SIGNATURES: readonly NamedSignature[] = [
  { keyType: 'rsa', digest: 'sha256' },
  { keyType: 'rsa', digest: undefined },
  { keyType: 'rsa', digest: 'sha1' },
  { keyType: 'rsa', digest: 'sha384' },
  { keyType: 'rsa', digest: 'sha512' },
  { keyType: 'dsa', digest: 'sha1' },
  { keyType: 'dsa', digest: 'sha256' },
  { keyType: 'dsa', digest: undefined },
];

const NOTHING: readonly Uint8Array[] = [new Uint8Array(0)];

const PAIRS: Readonly<Record<'rsa' | 'dsa', Readonly<Partial<Record<DigestAlgorithm, SignatureAlgorithm>>>>> = {
  rsa: { sha1: 'rsa-sha1', sha256: 'rsa-sha256', sha384: 'rsa-sha384', sha512: 'rsa-sha512' },
  dsa: { sha1: 'dsa-sha1', sha256: 'dsa-sha256' },
};

/** Reads the AlgorithmIdentifier of a digest. @throws AuthError `evidence_unverified` when it is unknown. */
export function readDigestAlgorithm(cursor: DerCursor): DigestAlgorithm {
  const digest = DIGESTS[readAlgorithm(cursor, TAG.sequence, DIGEST_OIDS)];
  if (digest === undefined) throw unverified('cms_digest_unknown');
  return digest;
}

/** Reads the AlgorithmIdentifier of a signature. @throws AuthError `evidence_unverified` when it is unknown. */
export function readSignatureAlgorithm(cursor: DerCursor, tag: number = TAG.sequence): NamedSignature {
  const signature = SIGNATURES[readAlgorithm(cursor, tag, SIGNATURE_OIDS)];
  if (signature === undefined) throw unverified('cms_signature_algorithm_unknown');
  return signature;
}

/** The one algorithm that both name. @throws AuthError `evidence_unverified` when they contradict each other. */
export function agreedAlgorithm(named: NamedSignature, digest: DigestAlgorithm): SignatureAlgorithm {
  const pair = PAIRS[named.keyType][digest];
  if (pair === undefined || (named.digest !== undefined && named.digest !== digest)) {
    throw unverified('cms_algorithms_disagree');
  }
  return pair;
}

/** Parameters are absent or NULL: every algorithm above has none, and parameters would let the sender choose. */
function readAlgorithm(cursor: DerCursor, tag: number, oids: readonly Uint8Array[]): number {
  cursor.enter(tag);
  const index = cursor.oneOf(TAG.objectIdentifier, oids);
  if (!cursor.atEnd() && cursor.oneOf(TAG.null, NOTHING) < 0) throw unverified('cms_algorithm_parameters');
  cursor.leave();
  return index;
}
