/**
 * The signed attributes of a CMS signer (DOC-4, THREAT-1, THREAT-7): what the signature really covers. They must
 * be DER as they stand, because their DER is what is hashed: a reader that re-encodes can be shown other bytes than the
 * signer saw.
 */
import type { DigestAlgorithm, EpochMillis } from '@postern/ports';
import { unverified } from '../../errors.js';
import { type NamedSignature, readDigestAlgorithm, readSignatureAlgorithm } from './cms-algorithms.js';
import { MAX_ATTRIBUTE_ELEMENTS, MAX_ATTRIBUTES } from './cms-limits.js';
import { DerCursor, decodeDerTime, TAG } from './der-cursor.js';
import { encodeOid, equalBytes } from './der-oid.js';

export interface SignedAttributes {
  /** DER `SET OF Attribute`, tag 0x31, ready to be hashed. */
  readonly der: Uint8Array;
  /** The content type attribute is there and says id-data: nothing else is accepted. */
  readonly contentType: 'data';
  readonly messageDigest: Uint8Array;
  readonly signingTime: EpochMillis | undefined;
  /** CMSAlgorithmProtection (RFC 6211): the algorithms that the signer meant. */
  readonly algorithmProtection: AlgorithmProtection | undefined;
}

export interface AlgorithmProtection {
  readonly digest: DigestAlgorithm;
  readonly signature: NamedSignature;
}

export const ID_DATA: readonly Uint8Array[] = [encodeOid('1.2.840.113549.1.7.1')];
/** Types that are read, by index in the list below. */
const CONTENT_TYPE = 0;
const MESSAGE_DIGEST = 1;
const SIGNING_TIME = 2;
const ALGORITHM_PROTECTION = 3;
const KNOWN_TYPES: readonly Uint8Array[] = [
  encodeOid('1.2.840.113549.1.9.3'),
  encodeOid('1.2.840.113549.1.9.4'),
  encodeOid('1.2.840.113549.1.9.5'),
  encodeOid('1.2.840.113549.1.9.52'),
];

/** Octets of an element without content. */
const EMPTY_ELEMENT = 2;

/** What the attributes read so far said. */
interface Found {
  contentType: 'data' | undefined;
  messageDigest: Uint8Array | undefined;
  signingTime: EpochMillis | undefined;
  algorithmProtection: AlgorithmProtection | undefined;
  /** Type elements of attributes that are not used, to find duplicates. */
  readonly unknownTypes: Uint8Array[];
}

/**
 * Reads the `[0] IMPLICIT SET OF Attribute` at the cursor and changes its tag in the bytes under it. Attributes of unknown
 * types are checked and not used.
 */
export function readSignedAttributes(cursor: DerCursor): SignedAttributes {
  const der = cursor.element(TAG.context0);
  // They are hashed with the tag of a SET, not with the one they travel under (RFC 5652 5.4).
  der[0] = TAG.set;
  const found: Found = {
    contentType: undefined,
    messageDigest: undefined,
    signingTime: undefined,
    algorithmProtection: undefined,
    unknownTypes: [],
  };
  const reader = new DerCursor(der);
  reader.enter(TAG.set);
  let start = reader.position;
  let previousStart = start;
  for (let read = 0; !reader.atEnd(); read += 1) {
    if (read === MAX_ATTRIBUTES) throw unverified('cms_too_many_attributes');
    readAttribute(reader, der, found);
    if (read > 0 && !isBefore(der, previousStart, start)) throw unverified('cms_attributes_not_der');
    previousStart = start;
    start = reader.position;
  }
  reader.leave();
  const { contentType, messageDigest, signingTime, algorithmProtection } = found;
  if (contentType === undefined) throw unverified('cms_content_type_missing');
  if (messageDigest === undefined) throw unverified('cms_message_digest_missing');
  return { der, contentType, messageDigest, signingTime, algorithmProtection };
}

function readAttribute(reader: DerCursor, der: Uint8Array, found: Found): void {
  reader.enter(TAG.sequence);
  const typeStart = reader.position;
  const type = reader.oneOf(TAG.objectIdentifier, KNOWN_TYPES);
  if (type < 0) checkUnknown(reader, der.subarray(typeStart, reader.position), found.unknownTypes);
  else readKnown(reader, type, found);
  reader.leave();
}

function readKnown(reader: DerCursor, type: number, found: Found): void {
  reader.enter(TAG.set);
  switch (type) {
    case CONTENT_TYPE:
      once(found.contentType);
      found.contentType = readContentType(reader);
      break;
    case MESSAGE_DIGEST:
      once(found.messageDigest);
      found.messageDigest = reader.content(TAG.octetString);
      break;
    case SIGNING_TIME:
      once(found.signingTime);
      found.signingTime = readSigningTime(reader);
      break;
    case ALGORITHM_PROTECTION:
      once(found.algorithmProtection);
      found.algorithmProtection = readAlgorithmProtection(reader);
      break;
  }
  if (!reader.atEnd()) throw unverified('cms_attribute_many_values');
  reader.leave();
}

function once(before: unknown): void {
  if (before !== undefined) throw unverified('cms_attribute_duplicate');
}

/** Nothing is read from it, but it is hashed with the rest and so must be DER like the rest. */
function checkUnknown(reader: DerCursor, type: Uint8Array, unknownTypes: Uint8Array[]): void {
  if (unknownTypes.some((seen) => equalBytes(seen, type))) throw unverified('cms_attribute_duplicate');
  unknownTypes.push(type);
  if (reader.peek() !== TAG.set) throw unverified('ber_unexpected_tag');
  const start = reader.position;
  reader.skipDer(MAX_ATTRIBUTE_ELEMENTS);
  if (reader.position - start === EMPTY_ELEMENT) throw unverified('cms_attribute_without_value');
}

function readContentType(reader: DerCursor): 'data' {
  if (reader.oneOf(TAG.objectIdentifier, ID_DATA) < 0) throw unverified('cms_content_type_mismatch');
  return 'data';
}

function readSigningTime(reader: DerCursor): EpochMillis {
  const tag = reader.peek() === TAG.generalizedTime ? TAG.generalizedTime : TAG.utcTime;
  const signingTime = decodeDerTime(tag, reader.content(tag));
  if (signingTime === undefined) throw unverified('cms_signing_time_invalid');
  return signingTime;
}

function readAlgorithmProtection(reader: DerCursor): AlgorithmProtection {
  reader.enter(TAG.sequence);
  const digest = readDigestAlgorithm(reader);
  const signature = readSignatureAlgorithm(reader, TAG.context1);
  reader.leave();
  return { digest, signature };
}

/**
 * Order of a DER SET OF: the element at `first` ascends to the one at `second` by octets. They differ before either ends:
 * an element says its length in its first octets, and equal elements were refused as duplicates.
 */
function isBefore(der: Uint8Array, first: number, second: number): boolean {
  let at = 0;
  while (der[first + at] === der[second + at]) at += 1;
  return (der[first + at] ?? 0) < (der[second + at] ?? 0);
}
