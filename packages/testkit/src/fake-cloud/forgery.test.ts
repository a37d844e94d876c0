import { fromBER } from 'asn1js';
import { ContentInfo, SignedData } from 'pkijs';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { octetString } from './der-builder.js';
import { createFakeCloud } from './fake-cloud.js';

const clock = createManualClock(Date.UTC(2026, 1, 16));
const cloud = createFakeCloud({ clock, seed: 'forgery', region: 'us-west-2' });
const instance = cloud.launchInstance();
const read = (bytes: Uint8Array) => {
  const { result, offset } = fromBER(Uint8Array.from(bytes).buffer);
  const signed = new SignedData({ schema: new ContentInfo({ schema: result }).content });
  return { signed, offset };
};
const contentOf = (signed: SignedData) =>
  new TextDecoder().decode(signed.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0));
const attributesOf = (signed: SignedData, at = 0) =>
  signed.signerInfos[at]?.signedAttrs?.attributes.map(({ type }) => type.slice(type.lastIndexOf('.') + 1));

describe('a forged PKCS#7', () => {
  it('changes, adds and drops members of the document before signing', () => {
    const { signed } = read(instance.pkcs7Der({ fields: { region: 'eu-west-1', extra: 1, kernelId: undefined } }));
    const document = JSON.parse(contentOf(signed));
    expect(document).toMatchObject({ region: 'eu-west-1', extra: 1, instanceId: instance.instanceId });
    expect('kernelId' in document).toBe(false);
  });

  it('signs any content, cut into pieces', () => {
    const bytes = instance.pkcs7Der({ content: 'not a document', chunkBytes: 5 });
    expect(contentOf(read(bytes).signed)).toBe('not a document');
    expect(Buffer.from(bytes).includes(Buffer.from(octetString(Buffer.from('not a'))))).toBe(true);
  });

  it('shows other content than it signs, or none', () => {
    const shownContent = new TextEncoder().encode('{}');
    expect(contentOf(read(instance.pkcs7Der({ shownContent })).signed)).toBe('{}');
    expect(read(instance.pkcs7Der({ detached: true })).signed.encapContentInfo.eContent).toBeUndefined();
  });

  it.each([
    [{ omitAttributes: ['contentType', 'signingTime'] }, ['52', '4']],
    [{ repeatAttributes: ['messageDigest'] }, ['3', '5', '52', '4', '4']],
    [
      { extraAttributes: [{ type: '1.2.3.99', values: [octetString(new Uint8Array(1))] }] },
      ['99', '3', '5', '52', '4'],
    ],
    [{ signedAttributes: false }, undefined],
  ] as const)('has the attributes it is told: %j', (options, expected) => {
    expect(attributesOf(read(instance.pkcs7Der(options)).signed)).toEqual(expected);
  });

  it.each([
    { signers: [], count: 0 },
    { signers: ['genuine', 'imposter'], count: 2 },
  ] as const)('has $count signers when told', ({ signers, count }) => {
    expect(read(instance.pkcs7Der({ signers })).signed.signerInfos.length).toBe(count);
  });

  it('carries trailing bytes outside the message', () => {
    const bytes = instance.pkcs7Der({ form: 'der', trailingBytes: Uint8Array.of(1, 2, 3) });
    expect(read(bytes).offset).toBe(bytes.length - 3);
  });

  it('lists other digest algorithms than the signer uses', () => {
    const { signed } = read(instance.pkcs7Der({ digestAlgorithms: ['sha1', 'sha256'] }));
    expect(signed.digestAlgorithms.map(({ algorithmId }) => algorithmId)).toEqual([
      '1.3.14.3.2.26',
      '2.16.840.1.101.3.4.2.1',
    ]);
  });

  it('names the content types it is given', () => {
    const { signed } = read(instance.pkcs7Der({ contentType: '1.2.3.4', contentTypeAttribute: '1.2.3.5' }));
    expect(signed.encapContentInfo.eContentType).toBe('1.2.3.4');
    const attribute = signed.signerInfos[0]?.signedAttrs?.attributes.find(({ type }) => type.endsWith('.9.3'));
    expect(String(attribute?.values[0])).toContain('1.2.3.5');
  });
});

describe('signing for no instance', () => {
  it('signs any content with the key of any region', () => {
    const pkcs7 = cloud.signContent('hello', { region: 'eu-west-1', encoding: 3 });
    expect(contentOf(read(Buffer.from(pkcs7, 'base64')).signed)).toBe('hello');
    const genuine = cloud.signIdentity('hello');
    expect(genuine).toBe(cloud.signIdentity(new TextEncoder().encode('hello')));
    expect(cloud.signIdentity('hello', { holder: 'imposter' })).not.toBe(genuine);
    expect(cloud.signIdentity('hello', { region: 'eu-west-1' })).not.toBe(genuine);
  });
});
