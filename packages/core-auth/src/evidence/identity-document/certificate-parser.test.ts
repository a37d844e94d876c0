/** What `parseCertificate` takes (CERT-2). */
import { createPublicKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificateDer, certificatePem, dsaSpki, pemOf, rsaSpki, SIGNED_WITH } from '../../../test/certificates.js';
import { parseCertificate, trustRegistered } from './certificate-parser.js';

const PEM = certificatePem();

/** Every form that must give the same certificate; `pem` is what a read returns. */
const FORMS: readonly (readonly [form: string, given: string, pem: string])[] = [
  ['plain PEM', PEM, PEM],
  ['PEM without a final newline', PEM.trimEnd(), PEM.trimEnd()],
  ['PEM with a blank line after it', `${PEM}\n`, `${PEM}\n`],
  ['PEM with other white space after it', `${PEM} \t\r\n\n`, `${PEM} \t\r\n\n`],
  ['PEM with CRLF', PEM.replaceAll('\n', '\r\n'), PEM.replaceAll('\n', '\r\n')],
  ['PEM with text before it', `subject=Ünit\nissuer=x\n${PEM}`, `subject=Ünit\nissuer=x\n${PEM}`],
  ['PEM of another label', pemOf(certificateDer(), 'X509 CERTIFICATE'), pemOf(certificateDer(), 'X509 CERTIFICATE')],
  ['base64 of PEM', Buffer.from(PEM).toString('base64'), PEM],
  [
    'base64 of PEM, line-wrapped',
    `${Buffer.from(PEM)
      .toString('base64')
      .match(/.{1,76}/g)
      ?.join('\n')}\n`,
    PEM,
  ],
  ['base64 of PEM with text before it', Buffer.from(`héllo\n${PEM}`).toString('base64'), `héllo\n${PEM}`],
];

describe('parseCertificate', () => {
  it.each(FORMS)('accepts %s and keeps its text', (_, given, pem) => {
    const parsed = parseCertificate(given);
    expect(parsed.pem).toBe(pem);
    expect(parsed.spki).toEqual(rsaSpki());
  });

  it('reads what identifies the certificate, byte for byte', () => {
    const serial = Uint8Array.of(0, 0x96, 0xba, 0x48, 0xd9);
    const text = certificatePem({ serial, issuer: 'a', notBefore: new Date(1_000_000), notAfter: new Date(2_000_000) });
    const parsed = parseCertificate(text);
    expect(parsed).toMatchObject({ keyType: 'rsa', keyBits: 2048, notBefore: 1_000_000, notAfter: 2_000_000 });
    expect(parsed.serialDer).toEqual(serial);
    expect(Buffer.from(parsed.issuerDer).toString('hex')).toBe('300c310a300806035504031301' + '61');
  });

  it('reads version 1 and a year after 2049', () => {
    const notAfter = new Date(Date.UTC(2199, 4, 2, 7, 14, 5));
    expect(parseCertificate(certificatePem({ version: 1, notAfter }))).toMatchObject({ notAfter: notAfter.getTime() });
  });

  it.each([
    ['rsa', 1024, () => rsaSpki('small', 1024)],
    ['rsa', 1031, () => rsaSpki('odd', 1031)],
    ['rsa', 3072, () => rsaSpki('large', 3072)],
    ['dsa', 1024, dsaSpki],
  ] as const)('reads a %s key of %i bits that node:crypto can use', (keyType, keyBits, spkiOf) => {
    const parsed = parseCertificate(certificatePem({ spki: spkiOf() }));
    expect(parsed).toMatchObject({ keyType, keyBits });
    const key = createPublicKey({ key: Buffer.from(parsed.spki), format: 'der', type: 'spki' });
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(keyBits);
  });

  it('agrees with node:crypto', () => {
    const certificate = new X509Certificate(PEM);
    const parsed = parseCertificate(PEM);
    expect(new Date(parsed.notAfter)).toEqual(new Date(certificate.validTo));
    expect(Buffer.from(parsed.serialDer).toString('hex').toUpperCase()).toBe(certificate.serialNumber);
  });

  it('keeps copies, so that a certificate holds no larger text alive', () => {
    const { spki, issuerDer, serialDer } = parseCertificate(PEM);
    for (const bytes of [spki, issuerDer, serialDer]) expect(bytes.buffer.byteLength).toBe(bytes.length);
  });
});

describe('trustRegistered', () => {
  it('gives the certificate its name and type and no regions', () => {
    const certificate = trustRegistered('cert1', 'identity', certificatePem({ signedWith: SIGNED_WITH.sha1Rsa }));
    expect(certificate).toMatchObject({ name: 'cert1', type: 'identity', signatureDigest: 'sha1' });
    expect(certificate).not.toHaveProperty('regions');
    expect(certificate).not.toHaveProperty('kind');
  });
});
