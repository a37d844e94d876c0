/** The signed attributes of a document's SignerInfo: the genuine ones, and those that a forger would send (THREAT-7). */
import { createHash } from 'node:crypto';
import { nullValue, octetString, oid, sequence, set, sortedForDer, time, tlv } from './der-builder.js';
import type { EncodingTraits } from './encodings.js';
import { OID } from './object-identifiers.js';
import type { AttributeName, SignedDataOptions } from './signed-data-options.js';

const ATTRIBUTE_OIDS: Readonly<Record<AttributeName, string>> = {
  contentType: OID.contentType,
  signingTime: OID.signingTime,
  messageDigest: OID.messageDigest,
  algorithmProtection: OID.cmsAlgorithmProtection,
};

/** Encoded attributes in DER order, or undefined when the options leave signed attributes out altogether. */
export function attributesOf(
  content: Uint8Array,
  traits: EncodingTraits,
  signedAt: number,
  options: SignedDataOptions,
): readonly Uint8Array[] | undefined {
  if (options.signedAttributes === false) return undefined;
  const digest = options.messageDigest ?? createHash(traits.digest).update(content).digest();
  const values: Readonly<Record<AttributeName, Uint8Array | undefined>> = {
    contentType: oid(options.contentTypeAttribute ?? OID.data),
    signingTime: time(options.signingTime ?? signedAt),
    messageDigest: octetString(digest),
    algorithmProtection: traits.algorithmProtection ? algorithmProtection(traits) : undefined,
  };
  const omitted = new Set(options.omitAttributes ?? []);
  const names: readonly AttributeName[] = ['contentType', 'signingTime', 'messageDigest', 'algorithmProtection'];
  const wanted = [...names.filter((name) => !omitted.has(name)), ...(options.repeatAttributes ?? [])];
  const encoded = wanted.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [sequence(oid(ATTRIBUTE_OIDS[name]), set(value))];
  });
  const extra = (options.extraAttributes ?? []).map(({ type, values: items }) => sequence(oid(type), set(...items)));
  return sortedForDer([...encoded, ...extra]);
}

/** CMSAlgorithmProtection (RFC 6211): the digest algorithm, then the signature algorithm as `[1]`. */
function algorithmProtection(traits: EncodingTraits): Uint8Array {
  return sequence(
    sequence(oid(OID[traits.digest]), ...(traits.digestHasNull ? [nullValue()] : [])),
    tlv(0xa1, oid(traits.signatureOid), ...(traits.signatureHasNull ? [nullValue()] : [])),
  );
}
