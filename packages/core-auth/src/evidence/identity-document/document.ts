/** The instance identity document (DOC-1, DOC-10): what it says, and the types that tell whether it is proven. */
import type { EpochMillis } from '@postern/ports';

/** The exact bytes that a signature covers, not yet checked. Nothing may be read from them. */
export interface UnverifiedDocument {
  readonly bytes: Uint8Array;
}

/** What a document says. */
export interface DocumentFields {
  readonly instanceId: string;
  readonly imageId: string;
  /** 12 digits. */
  readonly accountId: string;
  readonly region: string;
  /** As the document spells it; parsed where it is compared (a first login does not parse it). */
  readonly pendingTime: string;
}

/** Not exported, and there is no such member at run time: no other code can write a value of the type. */
declare const VERIFIED: unique symbol;

/** Fields of a document whose signature was verified, read from the signed bytes only. Only verification makes one. */
export interface VerifiedDocument extends DocumentFields {
  readonly [VERIFIED]: true;
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

/** The one place that makes a verified document: for code that verified a signature over the bytes that were parsed. */
export function provenDocument(document: DocumentFields, proof: DocumentProof): VerifiedDocument {
  const { instanceId, imageId, accountId, region, pendingTime } = document;
  // The mark exists for the compiler only.
  return { instanceId, imageId, accountId, region, pendingTime, proof } as VerifiedDocument;
}
