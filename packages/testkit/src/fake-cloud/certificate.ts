/**
 * Self-signed certificates over the region keys, shaped like the real ones: one distinguished name for all regions, a
 * serial number each; the DSA one X.509 v1 and signed with SHA-1, the RSA ones v3 and signed with SHA-256.
 */
import { createHash, sign } from 'node:crypto';
import {
  bitString,
  context,
  integer,
  nullValue,
  octetString,
  oid,
  printableString,
  sequence,
  set,
  TAG,
  time,
  tlv,
} from './der-builder.js';
import { OID } from './object-identifiers.js';
import type { RegionKey } from './region-keys.js';

/** What of a certificate can be chosen. */
export interface CertificateOptions {
  /** Epoch milliseconds; 1970-01-01 unless told, so that any test clock is inside. */
  readonly notBefore?: number;
  /** Epoch milliseconds; 2195-01-17 unless told. */
  readonly notAfter?: number;
  /** The digest that the certificate itself is signed with: `sha1` for DSA, `sha256` for RSA unless told. */
  readonly digest?: 'sha1' | 'sha256';
  /** Big-endian; the key's own unless told (documents name the key's own). */
  readonly serialNumber?: Uint8Array;
}

const END_OF_2195 = Date.UTC(2195, 0, 17);

/** The one issuer and subject of every certificate. */
export const ISSUER = sequence(
  ...[
    [OID.countryName, 'US'],
    [OID.stateOrProvinceName, 'Washington State'],
    [OID.localityName, 'Seattle'],
    [OID.organizationName, 'Amazon Web Services LLC'],
  ].map(([type = '', value = '']) => set(sequence(oid(type), printableString(value)))),
);

/** A certificate as DER. */
export function selfSignedCertificate(key: RegionKey, options: CertificateOptions = {}): Uint8Array {
  const isDsa = key.kind === 'pkcs7-dsa';
  const digest = options.digest ?? (isDsa ? 'sha1' : 'sha256');
  const algorithm = signatureAlgorithm(isDsa, digest);
  const toBeSigned = sequence(
    ...(isDsa ? [] : [context(0, integer(2))]),
    integer(options.serialNumber ?? key.serialNumber),
    algorithm,
    ISSUER,
    sequence(time(options.notBefore ?? 0), time(options.notAfter ?? END_OF_2195)),
    ISSUER,
    key.spki,
    ...(isDsa ? [] : [context(3, extensions(key.spki))]),
  );
  return sequence(toBeSigned, algorithm, bitString(sign(digest, toBeSigned, key.privateKey)));
}

function signatureAlgorithm(isDsa: boolean, digest: 'sha1' | 'sha256'): Uint8Array {
  if (isDsa) return sequence(oid(digest === 'sha1' ? OID.dsaWithSha1 : OID.dsaWithSha256));
  return sequence(oid(digest === 'sha1' ? OID.sha1WithRsa : OID.sha256WithRsa), nullValue());
}

function extensions(spki: Uint8Array): Uint8Array {
  const keyIdentifier = octetString(createHash('sha1').update(spki).digest());
  const digitalSignature = tlv(TAG.bitString, Uint8Array.of(7, 0x80));
  const authority = sequence(tlv(TAG.boolean, Uint8Array.of(0xff)), integer(0));
  return sequence(
    sequence(oid(OID.keyUsage), octetString(digitalSignature)),
    sequence(oid(OID.subjectKeyIdentifier), octetString(keyIdentifier)),
    sequence(oid(OID.basicConstraints), tlv(TAG.boolean, Uint8Array.of(0xff)), octetString(authority)),
  );
}

/** PEM text of a DER certificate, 64 characters a line. */
export function certificatePem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
