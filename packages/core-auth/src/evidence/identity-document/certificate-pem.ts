/** The text of a certificate as operators send it (CERT-2): one PEM block, or base64 of such a text. */
import { decodeBase64, decodeUtf8 } from '@postern/kernel';
import { AuthError } from '../../errors.js';

/** A provider's certificate has 1 KiB. Bounds what the ASN.1 parser is ever given. */
export const MAX_PEM_CHARACTERS = 16 * 1024;

/** Base64 of the longest PEM text with line breaks. */
const MAX_TEXT_CHARACTERS = MAX_PEM_CHARACTERS * 1.5;

const BEGIN = /-----BEGIN ([A-Z0-9 ]{1,64})-----\r?\n/;

export interface PemBlock {
  /** The whole text, words before the block included, as a read returns it. */
  readonly pem: string;
  /** What the block holds, not yet parsed. */
  readonly der: Uint8Array;
}

/**
 * Finds the one PEM block of a text, or of the text that the text is base64 of. Any label is taken. Text may stand
 * before the block, only white space after it. A second block is refused: it would be stored and never used.
 *
 * @throws AuthError `certificate_missing`, `certificate_invalid`
 */
export function parsePem(text: string | undefined): PemBlock {
  if (text === undefined || text === '') throw new AuthError('certificate_missing', 'a certificate is required');
  if (text.length > MAX_TEXT_CHARACTERS) throw invalidCertificate('too long');
  const pem = unwrapBase64(text);
  if (pem.length > MAX_PEM_CHARACTERS) throw invalidCertificate('too long');
  const begin = BEGIN.exec(pem);
  if (begin === null) throw invalidCertificate('no PEM block');
  const afterBegin = pem.slice(begin.index + begin[0].length);
  const endLine = `-----END ${begin[1] ?? ''}-----`;
  const end = afterBegin.indexOf(endLine);
  if (end < 0) throw invalidCertificate('the PEM block has no end');
  if (afterBegin.slice(end + endLine.length).trim() !== '') throw invalidCertificate('text after the PEM block');
  const der = decodeBase64(afterBegin.slice(0, end), { ignoreLineBreaks: true });
  if (der === undefined || der.length === 0) throw invalidCertificate('the PEM block is not base64');
  return { pem, der };
}

/** The armour of RFC 7468: 64 characters a line, a line break at the end. */
export function encodePem(base64: string): string {
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** `certificate_invalid` with what is wrong; the text of the certificate never goes into an error. */
export function invalidCertificate(what: string, cause?: unknown): AuthError {
  return new AuthError(
    'certificate_invalid',
    `not a usable certificate: ${what}`,
    cause === undefined ? {} : { cause },
  );
}

/** A PEM text has dashes and is never base64 itself, so no text can be read both ways. */
function unwrapBase64(text: string): string {
  const bytes = decodeBase64(text, { ignoreLineBreaks: true });
  if (bytes === undefined) return text;
  const pem = decodeUtf8(bytes);
  if (pem === undefined) throw invalidCertificate('base64 of something that is not PEM text');
  return pem;
}
