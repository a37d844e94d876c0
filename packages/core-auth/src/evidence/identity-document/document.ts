/** The instance identity document (DOC-1, DOC-10): what it says, and the types that tell whether it is proven. */
import type { EpochMillis } from '@postern/ports';

/** The exact bytes that a signature covers, not yet checked. Nothing may be read from them. */
export interface UnverifiedDocument {
  readonly bytes: Uint8Array;
}

/** Fields of a document whose signature was verified, read from the signed bytes only. */
export interface VerifiedDocument {
  readonly instanceId: string;
  readonly imageId: string;
  /** 12 digits. */
  readonly accountId: string;
  readonly region: string;
  /** As the document spells it; parsed where it is compared (a first login does not parse it). */
  readonly pendingTime: string;
  /** How it was proven. */
  readonly proof: DocumentProof;
}

export interface DocumentProof {
  readonly method: 'pkcs7' | 'identity';
  readonly signatureAlgorithm: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'dsa-sha1' | 'dsa-sha256';
  /** Signing time of the CMS attributes, where present. */
  readonly signingTime: EpochMillis | undefined;
  /** Name of the registered certificate, or the kind and regions of the built-in one. */
  readonly certificate: string;
}
