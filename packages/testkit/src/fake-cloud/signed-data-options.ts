/** How a SignedData is to be made: which encoding, and what of it is to be wrong. Every default is genuine. */
import type { KeyHolder } from './region-keys.js';

/**
 * 1: 2016 `pkcs7`, DSA-SHA1, no CMSAlgorithmProtection. 2: 2022 `pkcs7`, with it. 3: 2017 `rsa2048`, rsaEncryption.
 * 4: 2021 `rsa2048`, sha256WithRSAEncryption and CMSAlgorithmProtection. 5: 2026 `rsa2048`, digest without NULL.
 */
export type Encoding = 1 | 2 | 3 | 4 | 5;

export type AttributeName = 'contentType' | 'signingTime' | 'messageDigest' | 'algorithmProtection';

export interface SignedDataOptions {
  /** 5 unless told. */
  readonly encoding?: Encoding;
  /** `ber` (as served: indefinite lengths, content in a constructed OCTET STRING) unless told. */
  readonly form?: 'ber' | 'der';
  /** BER only: cuts the content into octet strings of this size; one of all unless told. */
  readonly chunkBytes?: number;
  /** Puts certificates of these holders into the message, in order. None unless told. */
  readonly embedCertificates?: readonly KeyHolder[];
  /** One SignerInfo each, in order; `['genuine']` unless told. Empty: nobody signed. */
  readonly signers?: readonly KeyHolder[];
  /** Signs with (and names) the key of another region than the instance's (THREAT-11). */
  readonly signingRegion?: string;
  /** Epoch milliseconds; the instant of issue unless told. */
  readonly signingTime?: number;
  /** False: no signed attributes; the signature covers the content itself (THREAT-1). */
  readonly signedAttributes?: boolean;
  /** Another value of the messageDigest attribute. */
  readonly messageDigest?: Uint8Array;
  /** Another value of the contentType attribute, dotted. */
  readonly contentTypeAttribute?: string;
  readonly omitAttributes?: readonly AttributeName[];
  /** Puts these attributes in twice. */
  readonly repeatAttributes?: readonly AttributeName[];
  /** Further attributes: dotted type and encoded values. */
  readonly extraAttributes?: readonly { readonly type: string; readonly values: readonly Uint8Array[] }[];
  /** Shows other content than was digested and signed. */
  readonly shownContent?: Uint8Array;
  /** Leaves the content out. */
  readonly detached?: boolean;
  /** Type of the encapsulated content, dotted. */
  readonly contentType?: string;
  /** The list of digest algorithms ahead of the content; the signer's own alone unless told. */
  readonly digestAlgorithms?: readonly ('sha1' | 'sha256')[];
  /** Names another serial number in the SignerInfo. */
  readonly serialNumber?: Uint8Array;
  /** Flips the lowest bit of the signature's last byte. */
  readonly corruptSignature?: boolean;
  /** Bytes after the message (THREAT-6). */
  readonly trailingBytes?: Uint8Array;
}
