/**
 * The strict reader of CMS SignedData (DOC-2, DOC-3, THREAT-1, THREAT-4 to THREAT-6): syntax only, no trust. It accepts the five
 * encodings that AWS has served, in BER and DER, and nothing that only other senders use.
 * The one signer (DOC-3) is of version 1, named by issuer and serial, with signed attributes only.
 */
import type { DigestAlgorithm, SignatureAlgorithm } from '@postern/ports';
import { unverified } from '../../errors.js';
import { agreedAlgorithm, type NamedSignature, readDigestAlgorithm, readSignatureAlgorithm } from './cms-algorithms.js';
import { MAX_CMS_BYTES, MAX_CONTENT_PIECES, MAX_EMBEDDED } from './cms-limits.js';
import {
  type AlgorithmProtection,
  ID_DATA,
  readSignedAttributes,
  type SignedAttributes,
} from './cms-signed-attributes.js';
import { DerCursor, TAG } from './der-cursor.js';
import { encodeOid } from './der-oid.js';

/** A well-formed value whose signature has not been checked: no field can be trusted. */
export interface UnverifiedSignedData {
  /** The signed bytes. */
  readonly content: Uint8Array;
  readonly signer: UnverifiedSigner;
}

const ID_SIGNED_DATA: readonly Uint8Array[] = [encodeOid('1.2.840.113549.1.7.2')];

/**
 * Reads a ContentInfo that holds SignedData over id-data with exactly one signer.
 *
 * @param bytes BER or DER, `MAX_CMS_BYTES` at most. The result keeps no view of it.
 * @throws AuthError `evidence_unverified`, reason `cms_…` or `ber_…`, for anything else.
 */
export function parseCms(bytes: Uint8Array): UnverifiedSignedData {
  if (bytes.length > MAX_CMS_BYTES) throw unverified('cms_too_large');
  return parseOwnCms(new Uint8Array(bytes));
}

/**
 * As `parseCms`, for bytes that no other code uses: the result is views of them, and one octet of them is changed, the tag
 * of the signed attributes to the one they are hashed under. Copies would cost a tenth of the signature check.
 */
export function parseOwnCms(bytes: Uint8Array): UnverifiedSignedData {
  if (bytes.length > MAX_CMS_BYTES) throw unverified('cms_too_large');
  const cursor = new DerCursor(bytes);
  cursor.enterBer(TAG.sequence);
  readOid(cursor, ID_SIGNED_DATA, 'cms_not_signed_data');
  cursor.enterBer(TAG.context0);
  const signedData = readSignedData(cursor);
  cursor.leave();
  cursor.leave();
  if (!cursor.atEnd()) throw unverified('cms_trailing_bytes');
  return signedData;
}

function readSignedData(cursor: DerCursor): UnverifiedSignedData {
  cursor.enterBer(TAG.sequence);
  readVersionOne(cursor, 'cms_version');
  const digestAlgorithm = readOnlyDigestAlgorithm(cursor);
  const content = readContent(cursor);
  skipEmbedded(cursor, TAG.context0);
  skipEmbedded(cursor, TAG.context1);
  const signer = readOnlySigner(cursor);
  cursor.leave();
  if (signer.digestAlgorithm !== digestAlgorithm) throw unverified('cms_digest_not_listed');
  return { content, signer };
}

function readOid(cursor: DerCursor, expected: readonly Uint8Array[], reason: string): void {
  if (cursor.oneOf(TAG.objectIdentifier, expected) < 0) throw unverified(reason);
}

function readOnlyDigestAlgorithm(cursor: DerCursor): DigestAlgorithm {
  cursor.enter(TAG.set);
  if (cursor.atEnd()) throw unverified('cms_digest_not_listed');
  const digestAlgorithm = readDigestAlgorithm(cursor);
  if (!cursor.atEnd()) throw unverified('cms_many_digest_algorithms');
  cursor.leave();
  return digestAlgorithm;
}

/** One signer exactly: with two, whose word counts depends on the reader (THREAT-5). */
function readOnlySigner(cursor: DerCursor): UnverifiedSigner {
  cursor.enter(TAG.set);
  if (cursor.atEnd()) throw unverified('cms_no_signer');
  const signer = readSignerInfo(cursor);
  if (!cursor.atEnd()) throw unverified('cms_many_signers');
  cursor.leave();
  return signer;
}

function readContent(cursor: DerCursor): Uint8Array {
  cursor.enterBer(TAG.sequence);
  readOid(cursor, ID_DATA, 'cms_not_data');
  if (cursor.atEnd()) throw unverified('cms_detached');
  cursor.enterBer(TAG.context0);
  const content = cursor.peek() === TAG.constructedOctetString ? readPieces(cursor) : cursor.content(TAG.octetString);
  cursor.leave();
  cursor.leave();
  return content;
}

function readPieces(cursor: DerCursor): Uint8Array {
  cursor.enterBer(TAG.constructedOctetString);
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (!cursor.atEnd()) {
    const piece = cursor.content(TAG.octetString);
    if (pieces.push(piece) > MAX_CONTENT_PIECES) throw unverified('cms_too_many_pieces');
    length += piece.length;
  }
  cursor.leave();
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : join(pieces, length);
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/**
 * Steps over embedded certificates or CRLs without reading into them: trust comes from the trust store alone (THREAT-4),
 * and some instances serve values that embed their certificate.
 */
function skipEmbedded(cursor: DerCursor, tag: number): void {
  if (cursor.peek() !== tag) return;
  cursor.enterBer(tag);
  for (let skipped = 0; !cursor.atEnd(); skipped += 1) {
    if (skipped === MAX_EMBEDDED) throw unverified('cms_too_many_embedded');
    cursor.element(TAG.sequence);
  }
  cursor.leave();
}

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
