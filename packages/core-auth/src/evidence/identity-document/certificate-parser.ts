/** Certificate text → value (CERT-2): syntax only, no signature, chain or date is judged here. DER only:
 * ASN.1 parsers take BER, too. */
import { type BaseBlock, Constructed, fromBER, Integer, Sequence } from 'asn1js';
import { Certificate } from 'pkijs';
import { isAuthError } from '../../errors.js';
import type { CertificateType, ParsedCertificate, TrustedCertificate } from './certificate.js';
import { digestOfSignature } from './certificate-digest.js';
import { parseKey } from './certificate-key.js';
import { invalidCertificate, parsePem } from './certificate-pem.js';

/**
 * Parses the one certificate of a PEM text, or of a text that is base64 of a PEM text. Nothing about it is verified:
 * who calls this decides to trust it.
 *
 * @throws AuthError `certificate_missing` for an absent or empty text; `certificate_invalid` where it is not exactly
 *   one PEM block of one DER X.509 certificate with an RSA or DSA key of 1024 to 8192 bits.
 */
export function parseCertificate(text: string | undefined): ParsedCertificate {
  const { pem, der } = parsePem(text);
  try {
    return { pem, ...parseDer(der) };
  } catch (error) {
    // asn1js and pkijs throw errors of their own for malformed input.
    throw isAuthError(error) ? error : invalidCertificate('not X.509', error);
  }
}

/**
 * A certificate that an operator registered under a name. It may sign for any region.
 *
 * @throws AuthError as `parseCertificate`
 */
export function trustRegistered(name: string, type: CertificateType, text: string | undefined): TrustedCertificate {
  return { ...parseCertificate(text), name, type };
}

function parseDer(der: Uint8Array): Omit<ParsedCertificate, 'pem'> {
  const { result, offset } = fromBER(der);
  if (offset !== der.length || !isDer(result, der)) throw invalidCertificate('not DER');
  const certificate = new Certificate({ schema: result });
  if (!certificate.signature.isEqual(certificate.signatureAlgorithm)) {
    throw invalidCertificate('it names two signature algorithms');
  }
  const { serial, issuer, publicKey } = identifyingParts(result);
  return {
    ...parseKey(certificate.subjectPublicKeyInfo),
    spki: publicKey.valueBeforeDecodeView.slice(),
    issuerDer: issuer.valueBeforeDecodeView.slice(),
    serialDer: serial.valueBlock.valueHexView.slice(),
    notBefore: instant(certificate.notBefore.value),
    notAfter: instant(certificate.notAfter.value),
    signatureDigest: digestOfSignature(certificate.signatureAlgorithm),
  };
}

/** Serial, issuer and key as they are encoded: what documents name them by is compared byte for byte. */
function identifyingParts(certificate: BaseBlock): { serial: Integer; issuer: Sequence; publicKey: Sequence } {
  const [toBeSigned] = certificate instanceof Sequence ? certificate.valueBlock.value : [];
  const fields = toBeSigned instanceof Sequence ? toBeSigned.valueBlock.value : [];
  // Version is optional: X.509 v1 has none.
  const serialAt = fields[0] instanceof Integer ? 0 : 1;
  const [serial, , issuer, , , publicKey] = fields.slice(serialAt);
  if (!(serial instanceof Integer) || !(issuer instanceof Sequence) || !(publicKey instanceof Sequence)) {
    throw invalidCertificate('not X.509');
  }
  return { serial, issuer, publicKey };
}

function instant(time: { getTime(): number }): number {
  const milliseconds = time.getTime();
  if (!Number.isFinite(milliseconds)) throw invalidCertificate('its validity is malformed');
  return milliseconds;
}

const UNIVERSAL = 1;
const SEQUENCE = 16;
const SET = 17;

/**
 * Whether `der` is the distinguished encoding of the block parsed from it. A BER variant would be the same certificate
 * with another issuer or key, which documents and keys are compared with byte for byte.
 */
function isDer(block: BaseBlock, der: Uint8Array): boolean {
  return isDefinite(block) && isSame(new Uint8Array(block.toBER()), der);
}

/** The parser writes indefinite lengths and strings in pieces as it read them, so that comparing does not find them. */
function isDefinite(block: BaseBlock): boolean {
  if (block.lenBlock.isIndefiniteForm) return false;
  const { isConstructed, tagClass, tagNumber } = block.idBlock;
  if (isConstructed && tagClass === UNIVERSAL && tagNumber !== SEQUENCE && tagNumber !== SET) return false;
  return !(block instanceof Constructed) || block.valueBlock.value.every(isDefinite);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
