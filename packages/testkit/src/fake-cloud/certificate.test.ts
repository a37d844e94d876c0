import { X509Certificate } from 'node:crypto';
import { fromBER } from 'asn1js';
import { Certificate } from 'pkijs';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from './fake-cloud.js';
import { regionKey } from './region-keys.js';

const cloud = createFakeCloud({ clock: createManualClock(0), seed: 'certificates', region: 'us-west-2' });
const parse = (pem: string) => {
  const x509 = new X509Certificate(pem);
  return { x509, pki: Certificate.fromBER(Uint8Array.from(x509.raw).buffer) };
};

describe('the certificates of a region', () => {
  it.each([
    { name: 'pkcs7Dsa', type: 'dsa', algorithm: '1.2.840.10040.4.3', bits: 1024, version: 0 },
    { name: 'pkcs7Rsa2048', type: 'rsa', algorithm: '1.2.840.113549.1.1.11', bits: 2048, version: 2 },
    { name: 'identityRsa', type: 'rsa', algorithm: '1.2.840.113549.1.1.11', bits: 1024, version: 2 },
  ] as const)('are self-signed as the real ones are: $name', ({ name, type, algorithm, bits, version }) => {
    const { x509, pki } = parse(cloud.certificates()[name]);
    expect(x509.verify(x509.publicKey)).toBe(true);
    expect(x509.publicKey.asymmetricKeyType).toBe(type);
    expect(x509.publicKey.asymmetricKeyDetails?.modulusLength).toBe(bits);
    expect(x509.issuer.split('\n')).toEqual(['C=US', 'ST=Washington State', 'L=Seattle', 'O=Amazon Web Services LLC']);
    expect(x509.subject).toBe(x509.issuer);
    expect([pki.signatureAlgorithm.algorithmId, pki.version]).toEqual([algorithm, version]);
    expect([pki.notBefore.value.getTime(), pki.notAfter.value.getTime()]).toEqual([0, Date.UTC(2195, 0, 17)]);
  });

  it('differ between regions and are the same at each call, in every cloud of the process', () => {
    const again = createFakeCloud({ clock: createManualClock(0), seed: 'other', region: 'us-west-2' });
    const key = (pem: string) => parse(pem).x509.publicKey.export({ type: 'spki', format: 'pem' });
    expect(key(again.certificates().pkcs7Dsa)).toBe(key(cloud.certificates().pkcs7Dsa));
    expect(key(cloud.certificates('eu-west-1').pkcs7Dsa)).not.toBe(key(cloud.certificates().pkcs7Dsa));
  });

  it('can be issued anew over the same key with other dates, digest and serial number', () => {
    const pem = cloud.issueCertificate({
      kind: 'pkcs7-rsa2048',
      notBefore: Date.UTC(2024, 3, 29),
      notAfter: Date.UTC(2029, 3, 28),
      digest: 'sha1',
      serialNumber: Uint8Array.of(0x01, 0x02),
    });
    const { x509, pki } = parse(pem);
    expect(x509.verify(x509.publicKey)).toBe(true);
    expect(x509.serialNumber).toBe('0102');
    expect(pki.signatureAlgorithm.algorithmId).toBe('1.2.840.113549.1.1.5');
    expect(pki.notAfter.value.getTime()).toBe(Date.UTC(2029, 3, 28));
    expect(Buffer.from(x509.publicKey.export({ type: 'spki', format: 'der' }))).toEqual(
      Buffer.from(regionKey('us-west-2', 'pkcs7-rsa2048').spki),
    );
  });

  it.each(['pkcs7-dsa', 'pkcs7-rsa2048', 'identity-rsa'] as const)(
    'have an imposter with the same issuer and serial number and another key: %s',
    (kind) => {
      const genuine = parse(cloud.issueCertificate({ kind })).x509;
      const imposter = parse(cloud.issueCertificate({ kind, holder: 'imposter' })).x509;
      expect([imposter.serialNumber, imposter.issuer]).toEqual([genuine.serialNumber, genuine.issuer]);
      expect(imposter.verify(genuine.publicKey)).toBe(false);
      expect(imposter.verify(imposter.publicKey)).toBe(true);
    },
  );
});

describe('defaultCertificates', () => {
  it('holds three certificates for each region configured or launched in', () => {
    const clock = createManualClock(0);
    const wide = createFakeCloud({ clock, seed: 'wide', region: 'us-west-2', regions: ['eu-west-1'] });
    wide.launchInstance({ region: 'us-east-2' });
    expect(wide.defaultCertificates().map(({ type, regions, name }) => [type, ...regions, name])).toEqual(
      ['us-west-2', 'eu-west-1', 'us-east-2'].flatMap((region) => [
        ['pkcs7', region, `${region} dsa`],
        ['pkcs7', region, `${region} rsa2048`],
        ['identity', region, `${region} rsa`],
      ]),
    );
    expect(wide.defaultCertificates(['eu-west-1']).map(({ regions }) => regions[0])).toEqual(
      Array.from({ length: 3 }, () => 'eu-west-1'),
    );
  });
});

describe('the PEM text', () => {
  it('is canonical: DER inside, nothing after it', () => {
    const raw = Uint8Array.from(new X509Certificate(cloud.certificates().identityRsa).raw);
    expect(fromBER(raw.buffer).offset).toBe(raw.length);
    expect(cloud.certificates().identityRsa).toMatch(/^-----BEGIN CERTIFICATE-----\n([\w+/=]{1,64}\n)+-----END/);
  });
});
