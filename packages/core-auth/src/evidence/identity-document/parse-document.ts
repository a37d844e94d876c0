/**
 * What an identity document says (DOC-10, THREAT-12): one JSON object, five text fields in their exact case.
 * Called with verified bytes only; a signature proves who wrote them, not that they are well-formed.
 */
import { decodeUtf8, parseStrictJson } from '@postern/kernel';
import { type AuthError, unverified } from '../../errors.js';
import type { DocumentFields } from './document.js';

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
