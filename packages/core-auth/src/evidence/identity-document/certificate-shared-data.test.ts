/** The built-in set against the provider's certificates that lie beside the repository. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '@postern/internal';
import { encodeHex } from '@postern/kernel';
import { describe, expect, it } from 'vitest';
import type { ParsedCertificate } from './certificate.js';
import { builtInCertificates } from './certificate-built-in.js';
import { parseCertificate, trustRegistered } from './certificate-parser.js';
import { createTrustStore } from './trust-store.js';

interface SharedCertificate extends ParsedCertificate {
  readonly kind: string;
  readonly region: string;
}

const shared = sharedFolder() ?? '';
const absent = shared === '';

function certificatesIn(folder: string): readonly SharedCertificate[] {
  const base = join(shared, 'data', folder);
  return readdirSync(base).flatMap((kind) =>
    readdirSync(join(base, kind)).map((file) => ({
      ...parseCertificate(readFileSync(join(base, kind, file), 'utf8')),
      kind,
      region: file.replace(/\.pem$/, ''),
    })),
  );
}

const builtIn = builtInCertificates();
const sameKey = (one: ParsedCertificate) => (other: ParsedCertificate) => encodeHex(one.spki) === encodeHex(other.spki);
const recognise = (one: SharedCertificate) => builtIn.filter((other) => other.kind === one.kind && sameKey(one)(other));

/** Regions newer than the built-in set. */
const NEW_REGIONS = ['ap-east-2', 'ap-southeast-6', 'eusc-de-east-1'];

describe.skipIf(absent)('the provider\u2019s certificates', () => {
  it.each([
    ['aws-certs', 108],
    ['aws-certs-spire', 78],
    ['aws-certs-legacy', 1],
  ])('in %s all parse', (folder, count) => {
    expect(certificatesIn(folder)).toHaveLength(count);
  });

  it('are recognised by key in every set and region', () => {
    for (const certificate of certificatesIn('aws-certs')) {
      const found = recognise(certificate);
      expect(found.length, `${certificate.kind} ${certificate.region}`).toBeGreaterThan(0);
      for (const one of found) expect(one.regions).toContain(certificate.region);
    }
  });

  it('are recognised by key after renewal, with other dates', () => {
    const certificates = certificatesIn('aws-certs-spire').filter(({ region }) => !NEW_REGIONS.includes(region));
    const renewed = certificates.filter((one) => !builtIn.some(({ pem }) => parsedEqual(pem, one)));
    expect(renewed.map(({ kind, region }) => `${kind} ${region}`).sort()).toEqual([
      'rsa ap-south-2',
      'rsa ap-southeast-3',
      'rsa ap-southeast-4',
      'rsa ca-west-1',
      'rsa eu-central-2',
      'rsa eu-south-2',
      'rsa il-central-1',
    ]);
    for (const one of certificates) expect(recognise(one)[0]?.regions).toContain(one.region);
  });

  it('once renewed with SHA-256 free the SHA-1 signed certificate of the same key', () => {
    const refused = (registered: readonly SharedCertificate[]) => {
      const renewed = registered.map(({ pem, region }) => trustRegistered(region, 'identity', pem));
      const store = createTrustStore({ builtIn, registered: renewed });
      return builtIn.filter((one) => one.kind === 'rsa' && store.isRefusedAsSha1(one)).flatMap((one) => one.regions);
    };
    expect(refused([])).toHaveLength(8);
    expect(refused(certificatesIn('aws-certs-spire').filter(({ kind }) => kind === 'rsa'))).toEqual(['me-central-1']);
  });

  it('of the time before 2024 has the key of today\u2019s', () => {
    const [legacy] = certificatesIn('aws-certs-legacy');
    expect(legacy && builtIn.filter(sameKey(legacy)).flatMap(({ publishedFor }) => publishedFor)).toHaveLength(17);
  });

  it('are not joined by the one that borrows an issuer and serial', () => {
    const evil = trustRegistered(
      'evil',
      'pkcs7',
      readFileSync(join(shared, 'data', 'attack-vectors', 'evil-cert.pem'), 'utf8'),
    );
    const namesakes = builtIn.filter(
      (one) =>
        encodeHex(one.issuerDer) === encodeHex(evil.issuerDer) &&
        encodeHex(one.serialDer) === encodeHex(evil.serialDer),
    );
    expect(namesakes.map(({ kind, publishedFor }) => `${kind} ${publishedFor?.join()}`)).toEqual(['rsa2048 us-west-2']);
    expect(builtIn.some(sameKey(evil))).toBe(false);
    const store = createTrustStore({ builtIn, registered: [evil] });
    expect(store.findPkcs7Signer(evil.issuerDer, evil.serialDer)).toEqual(namesakes);
    const alone = createTrustStore({ builtIn: [], registered: [evil] });
    expect(alone.findPkcs7Signer(evil.issuerDer, evil.serialDer)).toEqual([evil]);
  });
});

function parsedEqual(pem: string, other: ParsedCertificate): boolean {
  const withoutBreaks = (text: string) => text.replaceAll(/\s/g, '');
  return withoutBreaks(pem) === withoutBreaks(other.pem);
}
