/** What `parseCertificate` refuses, by code; none of it may end in another error, nor take long. */
import * as asn1 from 'asn1js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { certificateDer, certificatePem, ecSpki, pemOf, rsaSpki, SIGNED_WITH } from '../../../test/certificates.js';
import { isAuthError } from '../../errors.js';
import { parseCertificate } from './certificate-parser.js';

const DER = certificateDer();
const PEM = certificatePem();
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

function codeOf(text: string | undefined): string {
  try {
    parseCertificate(text);
    return 'accepted';
  } catch (error) {
    return isAuthError(error) ? error.code : `another error: ${String(error)}`;
  }
}

/** DER of an RSA key that OpenSSL would not make. */
function rsaSpkiOf(modulus: Uint8Array, exponent: Uint8Array): Uint8Array {
  const key = new asn1.Sequence({
    value: [modulus, exponent].map((number) => new asn1.Integer({ valueHex: new Uint8Array(number).buffer })),
  });
  const algorithm = new asn1.Sequence({
    value: [new asn1.ObjectIdentifier({ value: '1.2.840.113549.1.1.1' }), new asn1.Null()],
  });
  const bits = new asn1.BitString({ valueHex: key.toBER() });
  return new Uint8Array(new asn1.Sequence({ value: [algorithm, bits] }).toBER());
}

/** The outer signature algorithm, 13 bytes before the 67 bytes of the signature, with an indefinite length. */
function indefiniteInside(der: Uint8Array): Uint8Array {
  const at = der.length - 67 - 13;
  const inside = Uint8Array.of(0x30, 0x80, ...der.subarray(at + 2, at + 13), 0, 0);
  const length = der.length - 4 + 2;
  const header = [0x30, 0x82, length >> 8, length & 0xff];
  return Uint8Array.of(...header, ...der.subarray(4, at), ...inside, ...der.subarray(at + 13));
}

/** The BIT STRING of a key as a constructed one of one piece: the same key to a BER parser. */
function keyInPieces(spki: Uint8Array): Uint8Array {
  const { result } = asn1.fromBER(new Uint8Array(spki).buffer);
  if (!(result instanceof asn1.Sequence)) throw new Error('no key');
  const [algorithm, bits] = result.valueBlock.value;
  if (!(bits instanceof asn1.BitString) || algorithm === undefined) throw new Error('no key');
  const pieces = new asn1.BitString({ isConstructed: true, value: [bits] });
  return new Uint8Array(new asn1.Sequence({ value: [algorithm, pieces] }).toBER());
}

const modulus = (bytes: number) => new Uint8Array(bytes + 1).fill(0xff, 1);

describe('parseCertificate', () => {
  it.each([undefined, ''])('reports %j as missing', (text) => {
    expect(codeOf(text)).toBe('certificate_missing');
  });

  it.each([
    ['white space', ' \n'],
    ['words', 'not a certificate'],
    ['base64 of words', base64('not a certificate')],
    ['base64 of DER', base64(DER)],
    ['base64 of base64 of PEM', base64(base64(PEM))],
    ['base64url of PEM', base64(`~~~???\n${PEM}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')],
    ['two blocks', PEM + PEM],
    ['two different blocks', PEM + certificatePem({ issuer: 'other' })],
    ['base64 of two blocks', base64(PEM + PEM)],
    ['words after the block', `${PEM}words`],
    ['words after the block on a line of their own', `${PEM}\nwords\n`],
    ['no end', PEM.slice(0, PEM.indexOf('-----END'))],
    ['an end of another label', PEM.replace('END CERTIFICATE', 'END X509')],
    ['an end before the beginning', `-----END CERTIFICATE-----\n${PEM.replace(/-----END.*/, '')}`],
    ['an empty block', pemOf(new Uint8Array())],
    ['a body that is not base64', PEM.replace(/\nM/, '\n*')],
    ['a body with a header', PEM.replace('\n', '\nProc-Type: 4,ENCRYPTED\n\n')],
    ['a private key', pemOf(DER, 'PRIVATE KEY').replace(/\nMII/, '\nAAA')],
    ['a public key', pemOf(rsaSpki(), 'PUBLIC KEY')],
    ['DER with a byte after it', pemOf(Uint8Array.of(...DER, 0))],
    ['DER cut short', pemOf(DER.subarray(0, -1))],
    ['DER twice', pemOf(Uint8Array.of(...DER, ...DER))],
    ['BER with an indefinite length', pemOf(Uint8Array.of(0x30, 0x80, ...DER.subarray(4), 0, 0))],
    ['BER with an indefinite length inside', pemOf(indefiniteInside(DER))],
    ['BER with a key in pieces', certificatePem({ spki: keyInPieces(rsaSpki()) })],
    ['BER with a long length', pemOf(Uint8Array.of(0x30, 0x83, 0, ...DER.subarray(2)))],
    ['an elliptic-curve key', certificatePem({ spki: ecSpki() })],
    ['an RSA key of 512 bits', certificatePem({ spki: rsaSpki('tiny', 512) })],
    ['an RSA key of 1016 bits', certificatePem({ spki: rsaSpkiOf(modulus(127), Uint8Array.of(3)) })],
    ['an RSA key of 8200 bits', certificatePem({ spki: rsaSpkiOf(modulus(1025), Uint8Array.of(3)) })],
    ['the RSA exponent 1', certificatePem({ spki: rsaSpkiOf(modulus(256), Uint8Array.of(1)) })],
    ['an even RSA exponent', certificatePem({ spki: rsaSpkiOf(modulus(256), Uint8Array.of(2)) })],
    ['the RSA exponent 0', certificatePem({ spki: rsaSpkiOf(modulus(256), Uint8Array.of(0)) })],
    ['a negative RSA exponent', certificatePem({ spki: rsaSpkiOf(modulus(256), Uint8Array.of(0x81)) })],
    ['a negative RSA modulus', certificatePem({ spki: rsaSpkiOf(modulus(256).subarray(1), Uint8Array.of(3)) })],
    ['an MD5 signature', certificatePem({ signedWith: SIGNED_WITH.md5Rsa })],
    ['an unknown signature algorithm', certificatePem({ signedWith: '1.2.3.4' })],
    ['two signature algorithms', certificatePem({ outerSignedWith: SIGNED_WITH.sha1Rsa })],
    ['text above the limit', `${'x'.repeat(16 * 1024)}\n${PEM}`],
    ['base64 above the limit', base64(`${'x'.repeat(32 * 1024)}\n${PEM}`)],
  ])('refuses %s', (_, text) => {
    expect(codeOf(text)).toBe('certificate_invalid');
  });

  it('accepts the exponents next to the refused ones', () => {
    expect(codeOf(certificatePem({ spki: rsaSpkiOf(modulus(256), Uint8Array.of(3)) }))).toBe('accepted');
    expect(codeOf(certificatePem({ spki: rsaSpkiOf(modulus(1024), Uint8Array.of(1, 0, 1)) }))).toBe('accepted');
  });

  it('refuses a DSA key without parameters', () => {
    const key = new asn1.Sequence({
      value: [
        new asn1.Sequence({ value: [new asn1.ObjectIdentifier({ value: '1.2.840.10040.4.1' })] }),
        new asn1.BitString({ valueHex: new asn1.Integer({ value: 5 }).toBER() }),
      ],
    });
    expect(codeOf(certificatePem({ spki: new Uint8Array(key.toBER()) }))).toBe('certificate_invalid');
  });

  it('throws nothing but the typed error, and soon, for altered DER', () => {
    let slowestMs = 0;
    fc.assert(
      fc.property(fc.nat(DER.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(3), (at, change, cut) => {
        const altered = DER.map((byte, index) => (index === at ? byte ^ change : byte)).subarray(0, DER.length - cut);
        const start = performance.now();
        expect(codeOf(pemOf(altered))).toMatch(/^(?:accepted|certificate_invalid)$/);
        slowestMs = Math.max(slowestMs, performance.now() - start);
      }),
      { numRuns: 1000 },
    );
    expect(slowestMs).toBeLessThan(500);
  });

  it('throws nothing but the typed error for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.uint8Array().map((bytes) => pemOf(bytes)),
        ),
        (text) => {
          expect(codeOf(text)).toMatch(/^certificate_(?:invalid|missing)$/);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('is not exhausted by deep nesting', () => {
    let nested = Buffer.from([5, 0]);
    while (nested.length < 11_000) {
      const { length } = nested;
      const header = length < 128 ? [0x30, length] : [0x30, 0x82, length >> 8, length & 0xff];
      nested = Buffer.concat([Buffer.from(header), nested]);
    }
    expect(codeOf(pemOf(nested))).toBe('certificate_invalid');
  });
});
