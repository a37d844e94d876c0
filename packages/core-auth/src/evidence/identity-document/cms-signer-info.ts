/** The one signer of a CMS value (DOC-3): version 1, named by issuer and serial, with signed attributes only. */
import type { DigestAlgorithm, SignatureAlgorithm } from '@postern/ports';
import { unverified } from '../../errors.js';
import { agreedAlgorithm, type NamedSignature, readDigestAlgorithm, readSignatureAlgorithm } from './cms-algorithms.js';
import { type AlgorithmProtection, readSignedAttributes, type SignedAttributes } from './cms-signed-attributes.js';
import { type DerCursor, TAG } from './der-cursor.js';

/** What the value claims of its signer. Nothing in it is proven. */
export interface UnverifiedSigner {
  /** DER `Name`. */
  readonly issuerDer: Uint8Array;
  /** Content octets of the serial number's INTEGER, as the trust store keys it. */
  readonly serialDer: Uint8Array;
  readonly digestAlgorithm: DigestAlgorithm;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signedAttributes: SignedAttributes;
  readonly signature: Uint8Array;
}

const VERSION_ONE: readonly Uint8Array[] = [Uint8Array.of(1)];

/** Reads the SignerInfo at the cursor. */
export function readSignerInfo(cursor: DerCursor): UnverifiedSigner {
  cursor.enter(TAG.sequence);
  readVersionOne(cursor, 'cms_signer_version');
  if (cursor.peek() === TAG.primitive0) throw unverified('cms_signer_by_key_identifier');
  cursor.enter(TAG.sequence);
  const issuerDer = cursor.element(TAG.sequence);
  const serialDer = cursor.content(TAG.integer);
  cursor.leave();
  const digestAlgorithm = readDigestAlgorithm(cursor);
  // Without signed attributes the signature would cover the content itself, and signed attributes of one value could be
  // passed off as the content of another (ForgedAttributes, THREAT-1).
  if (cursor.peek() !== TAG.context0) throw unverified('cms_signed_attributes_missing');
  const signedAttributes = readSignedAttributes(cursor);
  const named = readSignatureAlgorithm(cursor);
  const signature = cursor.content(TAG.octetString);
  if (!cursor.atEnd()) throw unverified('cms_unsigned_attributes');
  cursor.leave();
  checkAlgorithmProtection(signedAttributes.algorithmProtection, digestAlgorithm, named);
  const signatureAlgorithm = agreedAlgorithm(named, digestAlgorithm);
  return { issuerDer, serialDer, digestAlgorithm, signatureAlgorithm, signedAttributes, signature };
}

/** @throws AuthError `evidence_unverified` with `reason` when the INTEGER at the cursor is not 1. */
export function readVersionOne(cursor: DerCursor, reason: string): void {
  if (cursor.oneOf(TAG.integer, VERSION_ONE) < 0) throw unverified(reason);
}

/** The identifiers of the signer are not signed themselves; where the signed attributes repeat them they must agree. */
function checkAlgorithmProtection(
  protection: AlgorithmProtection | undefined,
  digest: DigestAlgorithm,
  signature: NamedSignature,
): void {
  if (protection === undefined || (protection.digest === digest && protection.signature === signature)) return;
  throw unverified('cms_algorithm_protection_mismatch');
}
