import { spawnSync } from 'node:child_process';
import { createHash, verify, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBER, OctetString } from 'asn1js';
import { ContentInfo, SignedData } from 'pkijs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from './fake-cloud.js';
import type { Encoding } from './signed-data-options.js';

const clock = createManualClock(Date.UTC(2026, 1, 16, 0, 38, 27, 400));
const cloud = createFakeCloud({ clock, seed: 'encodings', region: 'us-west-2' });
const instance = cloud.launchInstance();
const document = instance.identityDocument().document;
const encodings: readonly Encoding[] = [1, 2, 3, 4, 5];
const everyWay = encodings.flatMap((encoding) =>
  (['ber', 'der'] as const).flatMap((form) => [false, true].map((embedded) => ({ encoding, form, embedded }))),
);
const certificateOf = (encoding: Encoding): string =>
  encoding <= 2 ? cloud.certificates().pkcs7Dsa : cloud.certificates().pkcs7Rsa2048;
const make = ({ encoding, form, embedded }: (typeof everyWay)[number]): Uint8Array =>
  instance.pkcs7Der({ encoding, form, embedCertificates: embedded ? ['genuine'] : [] });

/** The signer as PKI.js reads it; a second opinion on our own writer. */
function signerOf(der: Uint8Array) {
  const contentInfo = new ContentInfo({ schema: fromBER(Uint8Array.from(der).buffer).result });
  const signed = new SignedData({ schema: contentInfo.content });
  const [signer] = signed.signerInfos;
  if (signer?.signedAttrs === undefined) throw new Error('no signer with attributes');
  const value = (type: string) => signer.signedAttrs?.attributes.find((item) => item.type === type)?.values[0];
  return { signed, signer, attributes: signer.signedAttrs, value };
}

describe('documents of every encoding', () => {
  it.each(everyWay)('are read by PKI.js and verify with node:crypto: $encoding $form embedded=$embedded', (way) => {
    const { signed, signer, attributes, value } = signerOf(make(way));
    const digest = way.encoding <= 2 ? 'sha1' : 'sha256';
    const shown = signed.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0);
    expect(new TextDecoder().decode(shown)).toBe(document);
    expect(signed.certificates?.length ?? 0).toBe(way.embedded ? 1 : 0);

    const named = value('1.2.840.113549.1.9.4');
    if (!(named instanceof OctetString)) throw new Error('no message digest');
    expect(Buffer.from(named.getValue())).toEqual(createHash(digest).update(document).digest());
    expect(value('1.2.840.113549.1.9.52') !== undefined).toBe(way.encoding !== 1 && way.encoding !== 3);

    const covered = new Uint8Array(attributes.encodedValue);
    expect(covered[0]).toBe(0x31);
    const key = new X509Certificate(certificateOf(way.encoding)).publicKey;
    const signature = new Uint8Array(signer.signature.getValue());
    expect(verify(digest, covered, key, signature)).toBe(true);
    covered[covered.length - 1] = (covered[covered.length - 1] ?? 0) ^ 1;
    expect(verify(digest, covered, key, signature)).toBe(false);
  });

  it.each([
    { encoding: 3 as const, signature: '1.2.840.113549.1.1.1', digestParameters: true },
    { encoding: 4 as const, signature: '1.2.840.113549.1.1.11', digestParameters: true },
    { encoding: 5 as const, signature: '1.2.840.113549.1.1.11', digestParameters: false },
  ])('name their algorithms as the real ones do: $encoding', ({ encoding, signature, digestParameters }) => {
    const { signer } = signerOf(instance.pkcs7Der({ encoding }));
    expect(signer.signatureAlgorithm.algorithmId).toBe(signature);
    expect(signer.digestAlgorithm.algorithmParams !== undefined).toBe(digestParameters);
  });

  it('use indefinite lengths in BER and none in DER', () => {
    const ber = instance.pkcs7Der();
    const der = instance.pkcs7Der({ form: 'der' });
    expect([...ber.subarray(0, 2)]).toEqual([0x30, 0x80]);
    expect([...ber.subarray(-6)]).toEqual([0, 0, 0, 0, 0, 0]);
    expect(der[1]).toBe(0x82);
    expect(der.length).toBe(4 + (der[2] ?? 0) * 256 + (der[3] ?? 0));
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasOpenssl)('openssl cms -verify', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fake-cloud-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(everyWay)('accepts and extracts the exact bytes: $encoding $form embedded=$embedded', (way) => {
    const certificate = join(folder, 'certificate.pem');
    writeFileSync(certificate, certificateOf(way.encoding));
    const flags = ['-inform', 'DER', '-nointern', '-certfile', certificate, '-noverify', '-binary'];
    const run = spawnSync('openssl', ['cms', '-verify', ...flags], { input: make(way) });
    expect(run.status).toBe(0);
    expect(run.stdout.toString()).toBe(document);

    const forged = instance.pkcs7Der({ encoding: way.encoding, form: way.form, corruptSignature: true });
    expect(spawnSync('openssl', ['cms', '-verify', ...flags], { input: forged }).status).not.toBe(0);
  });
});
