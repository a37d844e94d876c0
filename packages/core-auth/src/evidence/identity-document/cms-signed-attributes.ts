/**
 * The signed attributes of a CMS signer (decision R13, threats P1 and P7): what the signature really covers. They must
 * be DER as they stand, because their DER is what is hashed: a reader that re-encodes can be shown other bytes than the
 * signer saw.
 */
import type { EpochMillis } from '@postern/ports';
import { unverified } from '../../errors.js';
import { readAlgorithmIdentifier } from './cms-algorithms.js';
import { MAX_ATTRIBUTE_ELEMENTS, MAX_ATTRIBUTES } from './cms-limits.js';
import { DerCursor, TAG } from './der-cursor.js';
import { encodeOid, equalBytes } from './der-oid.js';
import { decodeDerTime } from './der-time.js';

export interface SignedAttributes {
  /** DER `SET OF Attribute`, tag 0x31, ready to be hashed. A copy. */
  readonly der: Uint8Array;
  /** Content octets of the content type's identifier: id-data. */
  readonly contentType: Uint8Array;
  readonly messageDigest: Uint8Array;
  readonly signingTime: EpochMillis | undefined;
  /** CMSAlgorithmProtection (RFC 6211): content octets of the identifiers that the signer meant. */
  readonly algorithmProtection: AlgorithmProtection | undefined;
}

export interface AlgorithmProtection {
  readonly digestOid: Uint8Array;
  readonly signatureOid: Uint8Array;
}

export const ID_DATA = encodeOid('1.2.840.113549.1.7.1');
const CONTENT_TYPE = encodeOid('1.2.840.113549.1.9.3');
const MESSAGE_DIGEST = encodeOid('1.2.840.113549.1.9.4');
const SIGNING_TIME = encodeOid('1.2.840.113549.1.9.5');
const ALGORITHM_PROTECTION = encodeOid('1.2.840.113549.1.9.52');

/** Reads the `[0] IMPLICIT SET OF Attribute` at the cursor. Attributes of unknown types are checked and not used. */
export function readSignedAttributes(cursor: DerCursor): SignedAttributes {
  const der = cursor.element(TAG.context0).slice();
  der[0] = TAG.set;
  const attributes = new DerCursor(der);
  attributes.enter(TAG.set);
  const types: Uint8Array[] = [];
  let previous: Uint8Array | undefined;
  let contentType: Uint8Array | undefined;
  let messageDigest: Uint8Array | undefined;
  let signingTime: EpochMillis | undefined;
  let algorithmProtection: AlgorithmProtection | undefined;
  while (!attributes.atEnd()) {
    const attribute = attributes.element(TAG.sequence);
    if (previous !== undefined && !isBefore(previous, attribute)) throw unverified('cms_attributes_not_der');
    previous = attribute;
    new DerCursor(attribute).skipDer(MAX_ATTRIBUTE_ELEMENTS);
    const reader = new DerCursor(attribute);
    const type = enterAttribute(reader);
    if (types.some((seen) => equalBytes(seen, type))) throw unverified('cms_attribute_duplicate');
    if (types.push(type) > MAX_ATTRIBUTES) throw unverified('cms_too_many_attributes');
    if (equalBytes(type, CONTENT_TYPE)) contentType = readContentType(reader);
    else if (equalBytes(type, MESSAGE_DIGEST)) messageDigest = readMessageDigest(reader);
    else if (equalBytes(type, SIGNING_TIME)) signingTime = readSigningTime(reader);
    else if (equalBytes(type, ALGORITHM_PROTECTION)) algorithmProtection = readAlgorithmProtection(reader);
  }
  attributes.leave();
  if (contentType === undefined) throw unverified('cms_content_type_missing');
  if (messageDigest === undefined) throw unverified('cms_message_digest_missing');
  return { der, contentType, messageDigest, signingTime, algorithmProtection };
}

/** Stops in front of the first value and returns the content octets of the type. */
function enterAttribute(reader: DerCursor): Uint8Array {
  reader.enter(TAG.sequence);
  const type = reader.content(TAG.objectIdentifier);
  reader.enter(TAG.set);
  if (reader.atEnd()) throw unverified('cms_attribute_without_value');
  return type;
}

/** The value just read must have been the only one of the attribute. */
function leaveAttribute(reader: DerCursor): void {
  if (!reader.atEnd()) throw unverified('cms_attribute_many_values');
  reader.leave();
  reader.leave();
}

function readContentType(reader: DerCursor): Uint8Array {
  const contentType = reader.content(TAG.objectIdentifier);
  if (!equalBytes(contentType, ID_DATA)) throw unverified('cms_content_type_mismatch');
  leaveAttribute(reader);
  return contentType;
}

function readMessageDigest(reader: DerCursor): Uint8Array {
  const messageDigest = reader.content(TAG.octetString);
  leaveAttribute(reader);
  return messageDigest;
}

function readSigningTime(reader: DerCursor): EpochMillis {
  const tag = reader.peek() === TAG.generalizedTime ? TAG.generalizedTime : TAG.utcTime;
  const signingTime = decodeDerTime(tag, reader.content(tag));
  if (signingTime === undefined) throw unverified('cms_signing_time_invalid');
  leaveAttribute(reader);
  return signingTime;
}

function readAlgorithmProtection(reader: DerCursor): AlgorithmProtection {
  reader.enter(TAG.sequence);
  const digestOid = readAlgorithmIdentifier(reader);
  const signatureOid = readAlgorithmIdentifier(reader, TAG.context1);
  reader.leave();
  leaveAttribute(reader);
  return { digestOid, signatureOid };
}

/** Order of a DER SET OF: ascending by octets. Equal elements are not in order: they would be duplicates. */
function isBefore(a: Uint8Array, b: Uint8Array): boolean {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return a.length < b.length;
}
