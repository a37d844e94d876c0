/** The five encodings of identity documents seen since 2016, as a table (DOC-2). */
import { OID } from './object-identifiers.js';
import type { RegionKeyKind } from './region-keys.js';
import type { Encoding } from './signed-data-options.js';

/** What tells one encoding from another. */
export interface EncodingTraits {
  readonly kind: Extract<RegionKeyKind, 'pkcs7-dsa' | 'pkcs7-rsa2048'>;
  readonly digest: 'sha1' | 'sha256';
  readonly digestHasNull: boolean;
  readonly signatureOid: string;
  readonly signatureHasNull: boolean;
  readonly algorithmProtection: boolean;
}

const dsa2016: EncodingTraits = {
  kind: 'pkcs7-dsa',
  digest: 'sha1',
  digestHasNull: true,
  signatureOid: OID.dsaWithSha1,
  signatureHasNull: false,
  algorithmProtection: false,
};

const rsa2017: EncodingTraits = {
  kind: 'pkcs7-rsa2048',
  digest: 'sha256',
  digestHasNull: true,
  signatureOid: OID.rsaEncryption,
  signatureHasNull: true,
  algorithmProtection: false,
};

const rsa2021: EncodingTraits = { ...rsa2017, signatureOid: OID.sha256WithRsa, algorithmProtection: true };

/** The five, by number. */
export const ENCODINGS: Readonly<Record<Encoding, EncodingTraits>> = {
  1: dsa2016,
  2: { ...dsa2016, algorithmProtection: true },
  3: rsa2017,
  4: rsa2021,
  5: { ...rsa2021, digestHasNull: false },
};
