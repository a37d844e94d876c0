/**
 * The instance identity document (DOC-1, DOC-10, THREAT-12): one JSON object with five text fields in their exact case, and the
 * types that tell whether it is proven. Parsed from verified bytes only; a signature proves who wrote them, not that they are
 * well-formed.
 */
import { decodeUtf8, parseStrictJson } from '@postern/kernel';
import type { EpochMillis } from '@postern/ports';
import { type AuthError, unverified } from '../../errors.js';

/** Real documents are half a kilobyte. Against parsing what only an attacker would send. */
export const MAX_DOCUMENT_BYTES = 16 * 1024;

/** Real documents have two levels: the object and its lists of product codes. */
const MAX_DOCUMENT_DEPTH = 16;

/** Visible ASCII, so that ids can become keys, headers and log lines as they are. */
const FIELD_TEXT = /^[!-~]{1,256}$/;
const ACCOUNT_ID = /^[0-9]{12}$/;

/**
 * Parses the exact signed bytes. JSON white space around the object is allowed: it is signed like the rest.
 *
 * @throws AuthError `evidence_unverified`, reason `document_…`.
 */
export function parseIdentityDocument(bytes: Uint8Array): DocumentFields {
  const document = parseObject(bytes);
  return {
    instanceId: textField(document, 'instanceId', FIELD_TEXT, 'document_instance_id_invalid'),
    imageId: textField(document, 'imageId', FIELD_TEXT, 'document_image_id_invalid'),
    accountId: textField(document, 'accountId', ACCOUNT_ID, 'document_account_id_invalid'),
    region: textField(document, 'region', FIELD_TEXT, 'document_region_invalid'),
    pendingTime: textField(document, 'pendingTime', FIELD_TEXT, 'document_pending_time_invalid'),
  };
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes.length > MAX_DOCUMENT_BYTES) throw unverified('document_too_large');
  const text = decodeUtf8(bytes);
  if (text === undefined) throw unverified('document_not_utf8');
  const parsed = parseStrictJson(text, { maxDepth: MAX_DOCUMENT_DEPTH, refuseDuplicateKeys: true });
  if (!parsed.ok) throw refusedJson(parsed.code);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unverified('document_not_object');
  // An object of JSON that is not an array: every member is unknown.
  return value as Readonly<Record<string, unknown>>;
}

function refusedJson(code: string): AuthError {
  return unverified(`document_${code}`);
}

function textField(document: Readonly<Record<string, unknown>>, name: string, shape: RegExp, reason: string): string {
  const value = Object.hasOwn(document, name) ? document[name] : undefined;
  if (typeof value !== 'string' || !shape.test(value)) throw unverified(reason);
  return value;
}

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
