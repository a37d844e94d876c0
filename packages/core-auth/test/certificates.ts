/** Certificates of any shape for tests. Their own signature is noise: nothing verifies it. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import * as asn1 from 'asn1js';
import type { CertificateType, TrustedCertificate } from '../src/evidence/identity-document/certificate.js';
import { trustRegistered } from '../src/evidence/identity-document/certificate-parser.js';

export const SIGNED_WITH = {
  md5Rsa: '1.2.840.113549.1.1.4',
  sha1Rsa: '1.2.840.113549.1.1.5',
  sha256Rsa: '1.2.840.113549.1.1.11',
  pss: '1.2.840.113549.1.1.10',
  sha1Dsa: '1.2.840.10040.4.3',
  sha384Ecdsa: '1.2.840.10045.4.3.3',
  ed25519: '1.3.101.112',
} as const;

export interface CertificateParts {
  readonly spki?: Uint8Array;
  readonly issuer?: string;
  readonly serial?: Uint8Array;
  readonly signedWith?: string;
  /** DER of the signature algorithm's parameters. */
  readonly signatureParameters?: asn1.BaseBlock;
  /** The algorithm outside, where it shall differ from the one inside. */
  readonly outerSignedWith?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly version?: 1 | 3;
}

const keys = new Map<string, Uint8Array>();

/** DER SubjectPublicKeyInfo, made once for each name and size. Nobody has the private key, so the modulus needs no primes. */
export function rsaSpki(name = 'one', bits = 2048): Uint8Array {
  return keyNamed(`rsa ${name} ${bits}`, () => {
    const modulus = randomBytes(Math.ceil(bits / 8));
    const highBits = ((bits - 1) % 8) + 1;
    modulus[0] = ((modulus[0] ?? 0) & (2 ** highBits - 1)) | (2 ** (highBits - 1));
    modulus[modulus.length - 1] = (modulus.at(-1) ?? 0) | 1;
    return createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, format: 'jwk' });
  });
}

/** DER SubjectPublicKeyInfo, made once. */
export function dsaSpki(): Uint8Array {
  return keyNamed('dsa', () => generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).publicKey);
}

/** DER SubjectPublicKeyInfo, made once. */
export function ecSpki(): Uint8Array {
  return keyNamed('ec', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
}

export function certificateDer(parts: CertificateParts = {}): Uint8Array {
  const signedWith = parts.signedWith ?? SIGNED_WITH.sha256Rsa;
  const inner = algorithm(signedWith, parts.signatureParameters);
  const outer = algorithm(parts.outerSignedWith ?? signedWith, parts.signatureParameters);
  const toBeSigned = new asn1.Sequence({
    value: [
      ...(parts.version === 1 ? [] : [version3()]),
      new asn1.Integer({ valueHex: buffer(parts.serial ?? Uint8Array.of(1)) }),
      inner,
      name(parts.issuer ?? 'issuer'),
      new asn1.Sequence({
        value: [time(parts.notBefore ?? new Date(0)), time(parts.notAfter ?? new Date(Date.UTC(2199, 0)))],
      }),
      name('subject'),
      asn1.fromBER(buffer(parts.spki ?? rsaSpki())).result,
    ],
  });
  const signature = new asn1.BitString({ valueHex: new ArrayBuffer(64) });
  return new Uint8Array(new asn1.Sequence({ value: [toBeSigned, outer, signature] }).toBER());
}

export function pemOf(der: Uint8Array, label = 'CERTIFICATE'): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

export function certificatePem(parts: CertificateParts = {}): string {
  return pemOf(certificateDer(parts));
}

export function registered(
  parts: CertificateParts,
  type: CertificateType = 'pkcs7',
  name = 'mine',
): TrustedCertificate {
  return trustRegistered(name, type, certificatePem(parts));
}

function keyNamed(id: string, make: () => KeyObject): Uint8Array {
  const known = keys.get(id) ?? new Uint8Array(make().export({ type: 'spki', format: 'der' }));
  keys.set(id, known);
  return known;
}

function version3() {
  return new asn1.Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: [new asn1.Integer({ value: 2 })] });
}

function algorithm(oid: string, parameters: asn1.BaseBlock | undefined) {
  return new asn1.Sequence({
    value: [new asn1.ObjectIdentifier({ value: oid }), ...(parameters === undefined ? [] : [parameters])],
  });
}

function name(text: string) {
  const attribute = new asn1.Sequence({
    value: [new asn1.ObjectIdentifier({ value: '2.5.4.3' }), new asn1.PrintableString({ value: text })],
  });
  return new asn1.Sequence({ value: [new asn1.Set({ value: [attribute] })] });
}

function time(date: Date) {
  const early = date.getUTCFullYear() < 2050;
  return early ? new asn1.UTCTime({ valueDate: date }) : new asn1.GeneralizedTime({ valueDate: date });
}

function buffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
