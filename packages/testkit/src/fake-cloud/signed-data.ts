/**
 * CMS SignedData around a document in the five encodings the real cloud has served since 2016 (DOC-2), and the
 * ways to get each part of it wrong (THREAT-1 to THREAT-10).
 */
import { sign } from 'node:crypto';
import { ISSUER, selfSignedCertificate } from './certificate.js';
import {
  concatBytes,
  context,
  indefinite,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  set,
  TAG,
  tlv,
} from './der-builder.js';
import { ENCODINGS, type EncodingTraits } from './encodings.js';
import { OID } from './object-identifiers.js';
import { type KeyHolder, type RegionKey, regionKey } from './region-keys.js';
import { attributesOf } from './signed-attributes.js';
import type { SignedDataOptions } from './signed-data-options.js';

/**
 * The bytes of a SignedData.
 *
 * @param signedAt epoch milliseconds of the signing time, unless the options say another.
 */
export function buildSignedData(
  content: Uint8Array,
  region: string,
  signedAt: number,
  options: SignedDataOptions = {},
): Uint8Array {
  const traits = ENCODINGS[options.encoding ?? 5];
  const keyOf = (holder: KeyHolder): RegionKey => regionKey(options.signingRegion ?? region, traits.kind, holder);
  const attributes = attributesOf(content, traits, signedAt, options);
  const signerInfos = (options.signers ?? ['genuine']).map((holder) =>
    signerInfo(content, traits, keyOf(holder), attributes, options),
  );
  const certificates = (options.embedCertificates ?? []).map((holder) => selfSignedCertificate(keyOf(holder)));

  const isDer = options.form === 'der';
  const wrap = isDer ? tlv : indefinite;
  const contentInfo = wrap(
    TAG.sequence,
    oid(options.contentType ?? OID.data),
    ...(options.detached === true ? [] : [wrap(0xa0, contentOctets(options.shownContent ?? content, options))]),
  );
  const signedData = wrap(
    TAG.sequence,
    integer(1),
    set(...(options.digestAlgorithms ?? [traits.digest]).map((name) => digestAlgorithm(name, traits.digestHasNull))),
    contentInfo,
    ...(certificates.length === 0 ? [] : [context(0, ...certificates)]),
    set(...signerInfos),
  );
  const message = wrap(TAG.sequence, oid(OID.signedData), wrap(0xa0, signedData));
  return concatBytes([message, options.trailingBytes ?? new Uint8Array(0)]);
}

function contentOctets(content: Uint8Array, options: SignedDataOptions): Uint8Array {
  if (options.form === 'der') return octetString(content);
  const size = options.chunkBytes ?? Math.max(content.length, 1);
  const chunks: Uint8Array[] = [];
  for (let offset = 0; offset < content.length; offset += size) {
    chunks.push(octetString(content.subarray(offset, offset + size)));
  }
  return indefinite(TAG.octetStringConstructed, ...chunks);
}

function signerInfo(
  content: Uint8Array,
  traits: EncodingTraits,
  key: RegionKey,
  attributes: readonly Uint8Array[] | undefined,
  options: SignedDataOptions,
): Uint8Array {
  const covered = attributes === undefined ? content : set(...attributes);
  const signature = new Uint8Array(sign(traits.digest, covered, key.privateKey));
  if (options.corruptSignature === true) {
    const last = signature.length - 1;
    signature[last] = (signature[last] ?? 0) ^ 1;
  }
  return sequence(
    integer(1),
    sequence(ISSUER, integer(options.serialNumber ?? key.serialNumber)),
    digestAlgorithm(traits.digest, traits.digestHasNull),
    ...(attributes === undefined ? [] : [context(0, ...attributes)]),
    signatureAlgorithm(traits),
    octetString(signature),
  );
}

/** AlgorithmIdentifier of a digest; encoding 5 leaves the NULL out. */
function digestAlgorithm(name: 'sha1' | 'sha256', hasNull: boolean): Uint8Array {
  return sequence(oid(OID[name]), ...(hasNull ? [nullValue()] : []));
}

function signatureAlgorithm(traits: EncodingTraits): Uint8Array {
  return sequence(oid(traits.signatureOid), ...(traits.signatureHasNull ? [nullValue()] : []));
}
