/** The built-in set against what a parser reads, and a host's own list (THREAT-11). */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { encodeHex } from '@postern/kernel';
import { describe, expect, it } from 'vitest';
import { certificatePem, registered, rsaSpki } from '../../../test/certificates.js';
import type { TrustedCertificate } from './certificate.js';
import { builtInCertificates, trustBuiltIn } from './certificate-built-in.js';
import { parseCertificate } from './certificate-parser.js';
import { DEFAULT_CERTIFICATES } from './default-certificates.js';
import { createTrustStore } from './trust-store.js';

const GENERATOR = fileURLToPath(new URL('../../../../../scripts/generate-default-certificates.mjs', import.meta.url));

const keysOf = (certificates: readonly TrustedCertificate[]) =>
  new Set(certificates.map(({ spki }) => encodeHex(spki))).size;

describe('builtInCertificates', () => {
  const all = builtInCertificates();

  it('is what the generator writes from its source', () => {
    const { status, stderr } = spawnSync(process.execPath, [GENERATOR, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('says of each certificate what the parser reads from it', () => {
    for (const certificate of all) expect(certificate).toMatchObject(parseCertificate(certificate.pem));
    expect(all).toHaveLength(DEFAULT_CERTIFICATES.length);
  });

  it('has these certificates, keys and SHA-1 verdicts', () => {
    const judge = (allowSha1Signatures: boolean) =>
      createTrustStore({ builtIn: all, registered: [], allowSha1Signatures });
    const [strict, lenient] = [judge(false), judge(true)];
    const table = (['dsa', 'rsa', 'rsa2048'] as const).map((kind) => {
      const some = all.filter((certificate) => certificate.kind === kind);
      return {
        kind,
        type: [...new Set(some.map(({ type }) => type))].join(),
        certificates: some.length,
        regions: new Set(some.flatMap(({ publishedFor = [] }) => publishedFor)).size,
        keys: keysOf(some),
        keySizes: [...new Set(some.map(({ keyType, keyBits }) => `${keyType}-${keyBits}`))].join(),
        sha1Signed: some.filter(({ signatureDigest }) => signatureDigest === 'sha1').length,
        savedBySameKey: some.filter((certificate) => strict.sha1Verdict(certificate) === 'same_key').length,
        refused: some.filter((certificate) => strict.isRefusedAsSha1(certificate)).length,
        refusedWhenAllowed: some.filter((certificate) => lenient.isRefusedAsSha1(certificate)).length,
      };
    });
    console.table(table);
    expect(table).toMatchInlineSnapshot(`
      [
        {
          "certificates": 17,
          "keySizes": "dsa-1024,rsa-2048",
          "keys": 17,
          "kind": "dsa",
          "refused": 16,
          "refusedWhenAllowed": 0,
          "regions": 36,
          "savedBySameKey": 0,
          "sha1Signed": 16,
          "type": "pkcs7",
        },
        {
          "certificates": 35,
          "keySizes": "rsa-1024",
          "keys": 18,
          "kind": "rsa",
          "refused": 8,
          "refusedWhenAllowed": 0,
          "regions": 36,
          "savedBySameKey": 0,
          "sha1Signed": 8,
          "type": "identity",
        },
        {
          "certificates": 36,
          "keySizes": "rsa-2048",
          "keys": 36,
          "kind": "rsa2048",
          "refused": 0,
          "refusedWhenAllowed": 0,
          "regions": 36,
          "savedBySameKey": 0,
          "sha1Signed": 0,
          "type": "pkcs7",
        },
      ]
    `);
  });

  it('has no two certificates of one issuer and serial', () => {
    const names = all.map(({ issuerDer, serialDer }) => `${encodeHex(issuerDer)} ${encodeHex(serialDer)}`);
    expect(new Set(names).size).toBe(all.length);
  });

  it('knows the certificates called DSA of the regions in China for what they are', () => {
    const chinese = all.filter(({ kind, publishedFor }) => kind === 'dsa' && publishedFor?.join().includes('cn-'));
    expect(chinese.flatMap(({ publishedFor }) => publishedFor)).toEqual(['cn-north-1', 'cn-northwest-1']);
    for (const certificate of chinese) {
      expect(certificate).toMatchObject({ keyType: 'rsa', keyBits: 2048, signatureDigest: 'sha256', type: 'pkcs7' });
    }
  });

  it('binds each certificate to the regions of its key', () => {
    const regionsOf = (kind: string, region: string) =>
      all.find((one) => one.kind === kind && one.publishedFor?.includes(region))?.regions;
    expect(regionsOf('rsa2048', 'us-west-2')).toEqual(['us-west-2']);
    expect(regionsOf('dsa', 'us-west-2')).toHaveLength(19);
    expect(regionsOf('rsa', 'us-west-2')).toHaveLength(17);
    expect(regionsOf('rsa', 'us-west-2')).not.toContain('us-gov-west-1');
    expect(regionsOf('rsa', 'cn-north-1')).toEqual(['cn-north-1', 'cn-northwest-1']);
  });

  it('has one key array for one key, the same at every call', () => {
    expect(builtInCertificates()).toBe(all);
    expect(new Set(all.map(({ spki }) => spki)).size).toBe(keysOf(all));
  });
});

describe('trustBuiltIn', () => {
  const pem = (issuer: string, key: string) => certificatePem({ issuer, spki: rsaSpki(key) });

  it('joins the regions of certificates that share a key', () => {
    const certificates = trustBuiltIn([
      { pem: pem('a', 'shared'), type: 'pkcs7', regions: ['us-west-2', 'us-east-1'] },
      { pem: pem('b', 'shared'), type: 'pkcs7', regions: ['eu-west-1', 'us-west-2'] },
      { pem: pem('c', 'alone'), type: 'pkcs7', regions: ['eu-west-1'] },
    ]);
    expect(certificates.map(({ regions }) => regions?.join())).toEqual([
      'eu-west-1,us-east-1,us-west-2',
      'eu-west-1,us-east-1,us-west-2',
      'eu-west-1',
    ]);
    expect(certificates.map(({ publishedFor }) => publishedFor?.join())).toEqual([
      'us-west-2,us-east-1',
      'eu-west-1,us-west-2',
      'eu-west-1',
    ]);
    expect(certificates[0]?.spki).toBe(certificates[1]?.spki);
  });

  it('leaves a key free for any region where one of its certificates is', () => {
    const certificates = trustBuiltIn([
      { pem: pem('a', 'shared'), type: 'pkcs7', regions: ['us-west-2'] },
      { pem: pem('b', 'shared'), type: 'pkcs7' },
    ]);
    for (const certificate of certificates) expect(certificate).not.toHaveProperty('regions');
  });

  it('extends the package\u2019s set, which stays as it was', () => {
    const before = builtInCertificates().length;
    const extra = { pem: pem('new', 'new'), type: 'pkcs7', kind: 'rsa2048', regions: ['eusc-de-east-1'] } as const;
    const extended = trustBuiltIn([...builtInCertificates(), extra]);
    expect(extended.slice(0, -1)).toEqual(builtInCertificates());
    expect(extended.at(-1)).toMatchObject({ kind: 'rsa2048', regions: ['eusc-de-east-1'] });
    expect(builtInCertificates()).toHaveLength(before);
  });

  it('joins regions only once when a set is passed on twice', () => {
    expect(trustBuiltIn(trustBuiltIn(builtInCertificates()))).toEqual(builtInCertificates());
  });

  it.each([
    ['no certificate', { pem: 'nothing', type: 'pkcs7' } as const],
    ['an empty text', { pem: '', type: 'pkcs7' } as const],
    ['an empty list of regions', { pem: registered({}).pem, type: 'pkcs7', regions: [] } as const],
  ])('throws TypeError for %s', (_, source) => {
    expect(() => trustBuiltIn([source])).toThrow(TypeError);
  });
});
