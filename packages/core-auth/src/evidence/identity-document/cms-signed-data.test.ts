/** The CMS reader (DOC-2, DOC-3, THREAT-1, THREAT-4 to THREAT-7): five encodings in, everything else out. */

import { type BerNode, childrenOf, constructed, nodeAt, primitive, readBer, tlv, writeBer } from '@postern/internal';
import { createFakeCloud, createManualClock, type Encoding, type Pkcs7Options } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../test/refusal.js';
import { MAX_CMS_BYTES, MAX_CONTENT_PIECES, MAX_EMBEDDED } from './cms-limits.js';
import { parseCms, parseOwnCms } from './cms-signed-data.js';
import { encodeOid } from './der-oid.js';

const SIGNED_AT = Date.UTC(2026, 1, 16, 0, 38, 28);
const cloud = createFakeCloud({ clock: createManualClock(SIGNED_AT), seed: 'cms' });
const instance = cloud.launchInstance();
const content = new TextEncoder().encode(instance.identityDocument().document);
const signed = (options: Pkcs7Options = {}) => instance.pkcs7Der(options);

/** A genuine value with one thing altered. */
function altered(edit: (signedData: BerNode, root: BerNode) => void, options: Pkcs7Options = {}): Uint8Array {
  const root = readBer(signed(options));
  edit(nodeAt(root, 1, 0), root);
  return writeBer(root);
}
const signerOf = (signedData: BerNode) => nodeAt(signedData, -1, 0);
const contentInfoOf = (signedData: BerNode) => nodeAt(signedData, 2);
const oid = (dotted: string) => primitive(0x06, encodeOid(dotted));
const emptySequence = () => constructed(0x30, []);

describe('accepts', () => {
  it.each([1, 2, 3, 4, 5] satisfies Encoding[])('encoding %i, in BER, in DER and in pieces', (encoding) => {
    for (const form of [{ form: 'ber' }, { form: 'der' }, { chunkBytes: 100 }] satisfies Pkcs7Options[]) {
      const { content: read, signer } = parseCms(signed({ encoding, ...form }));
      expect(read).toEqual(content);
      expect(signer.signatureAlgorithm).toBe(encoding <= 2 ? 'dsa-sha1' : 'rsa-sha256');
      expect(signer.digestAlgorithm).toBe(encoding <= 2 ? 'sha1' : 'sha256');
      expect(signer.signedAttributes.signingTime).toBe(SIGNED_AT);
      expect(signer.signedAttributes.algorithmProtection === undefined).toBe(encoding === 1 || encoding === 3);
      expect(signer.signedAttributes.der[0]).toBe(0x31);
    }
  });

  it('and leaves the given bytes alone, unless they are its own', () => {
    const bytes = signed();
    const before = bytes.slice();
    const copied = parseCms(bytes);
    expect(bytes).toEqual(before);
    expect(copied.content.buffer).not.toBe(bytes.buffer);
    const { content: read, signer } = parseOwnCms(bytes);
    const views = [read, signer.signature, signer.issuerDer, signer.signedAttributes.der];
    expect(views.map((view) => view.buffer === bytes.buffer)).toEqual([true, true, true, true]);
    expect(bytes.filter((octet, at) => octet !== before[at])).toEqual(Uint8Array.of(0x31));
  });

  it('a constructed OCTET STRING of definite length, and one without pieces', () => {
    const definite = altered((data) => {
      nodeAt(contentInfoOf(data), 1, 0).indefinite = false;
    });
    expect(parseCms(definite).content).toEqual(content);
    const empty = altered((data) => {
      nodeAt(contentInfoOf(data), 1, 0).children = [];
    });
    expect(parseCms(empty).content).toHaveLength(0);
  });

  it('embedded certificates and CRLs, unread, in either form', () => {
    const embedded = signed({ embedCertificates: ['imposter', 'genuine'] });
    expect(parseCms(embedded).content).toEqual(content);
    for (const indefinite of [true, false]) {
      const both = altered((data) => {
        const items = [constructed(0x30, [primitive(0x02, [1])]), emptySequence()];
        const certificates = { ...constructed(0xa0, items), indefinite };
        const crls = { ...constructed(0xa1, [emptySequence()]), indefinite };
        childrenOf(data).splice(3, 0, certificates, crls);
      });
      expect(parseCms(both).content).toEqual(content);
    }
  });
});

describe('refuses what other senders make', () => {
  const cases: [name: string, reason: string, options: Pkcs7Options][] = [
    ['trailing bytes', 'cms_trailing_bytes', { trailingBytes: Uint8Array.of(0) }],
    ['no signer', 'cms_no_signer', { signers: [] }],
    ['two signers', 'cms_many_signers', { signers: ['genuine', 'genuine'] }],
    ['two signers, one of them bad (p7-012, P5)', 'cms_many_signers', { signers: ['genuine', 'imposter'] }],
    [
      'no signed attributes, whatever the certificate (p7-010, DOC-2, DOC-3)',
      'cms_signed_attributes_missing',
      { signedAttributes: false },
    ],
    ['detached content', 'cms_detached', { detached: true }],
    ['content of another type', 'cms_not_data', { contentType: '1.2.840.113549.1.9.16.1.4' }],
    ['a digest algorithm that the signer did not use', 'cms_digest_not_listed', { digestAlgorithms: ['sha1'] }],
    ['no digest algorithm', 'cms_digest_not_listed', { digestAlgorithms: [] }],
    ['two digest algorithms', 'cms_many_digest_algorithms', { digestAlgorithms: ['sha256', 'sha1'] }],
    [
      'more pieces than any real sender',
      'cms_too_many_pieces',
      { content: 'x'.repeat(MAX_CONTENT_PIECES + 1), chunkBytes: 1 },
    ],
    [
      'more embedded certificates than bounded',
      'cms_too_many_embedded',
      { embedCertificates: Array(MAX_EMBEDDED + 1).fill('genuine') },
    ],
    ['a value over the bound', 'cms_too_large', { content: 'x'.repeat(MAX_CMS_BYTES) }],
  ];
  it.each(cases)('%s', async (_name, reason, options) => {
    expect(await refusalOf(() => parseCms(signed(options)))).toBe(reason);
  });
});

describe('refuses what is not this structure', () => {
  const cases: [name: string, reason: string, edit: (signedData: BerNode, root: BerNode) => void][] = [
    [
      'another content type',
      'cms_not_signed_data',
      (_, root) => childrenOf(root).splice(0, 1, oid('1.2.840.113549.1.7.3')),
    ],
    ['SignedData version 3', 'cms_version', (data) => childrenOf(data).splice(0, 1, primitive(2, [3]))],
    [
      'SignedData version 1 in two octets',
      'cms_version',
      (data) => childrenOf(data).splice(0, 1, primitive(2, [0, 1])),
    ],
    ['signer version 3', 'cms_signer_version', (data) => childrenOf(signerOf(data)).splice(0, 1, primitive(2, [3]))],
    [
      'a signer by key identifier',
      'cms_signer_by_key_identifier',
      (data) => childrenOf(signerOf(data)).splice(1, 1, primitive(0x80, [1, 2])),
    ],
    [
      'unsigned attributes',
      'cms_unsigned_attributes',
      (data) => childrenOf(signerOf(data)).push(constructed(0xa1, [])),
    ],
    [
      'an issuer with a third part',
      'ber_unexpected_element',
      (data) => childrenOf(nodeAt(signerOf(data), 1)).push(primitive(5)),
    ],
    [
      'another digest than the protected one',
      'cms_algorithm_protection_mismatch',
      (data) => childrenOf(nodeAt(signerOf(data), 2)).splice(0, 1, oid('2.16.840.1.101.3.4.2.3')),
    ],
    ['algorithm parameters', 'ber_unexpected_tag', (data) => childrenOf(nodeAt(data, 1, 0)).push(emptySequence())],
    [
      'a NULL with content',
      'cms_algorithm_parameters',
      (data) => childrenOf(nodeAt(data, 1, 0)).push(primitive(5, [0])),
    ],
    [
      'two parameters',
      'ber_unexpected_element',
      (data) => childrenOf(nodeAt(data, 1, 0)).push(primitive(5), primitive(5)),
    ],
    [
      'an indefinite set of signers',
      'ber_indefinite_length',
      (data) => Object.assign(nodeAt(data, -1), { indefinite: true }),
    ],
    ['an indefinite signer', 'ber_indefinite_length', (data) => Object.assign(signerOf(data), { indefinite: true })],
    [
      'indefinite attributes',
      'ber_indefinite_length',
      (data) => Object.assign(nodeAt(signerOf(data), 3), { indefinite: true }),
    ],
    [
      'content in a UTF8String',
      'ber_unexpected_tag',
      (data) => Object.assign(nodeAt(contentInfoOf(data), 1, 0), primitive(0x0c)),
    ],
    [
      'pieces in pieces',
      'ber_unexpected_tag',
      (data) => childrenOf(nodeAt(contentInfoOf(data), 1, 0)).push(constructed(0x24, [])),
    ],
    [
      'content twice',
      'ber_unexpected_element',
      (data) => childrenOf(nodeAt(contentInfoOf(data), 1)).push(primitive(4)),
    ],
    [
      'something after the content',
      'ber_unexpected_element',
      (data) => childrenOf(contentInfoOf(data)).push(primitive(4)),
    ],
    ['something after the signers', 'ber_unexpected_element', (data) => childrenOf(data).push(primitive(4))],
    [
      'something after the SignedData',
      'ber_unexpected_element',
      (_, root) => childrenOf(nodeAt(root, 1)).push(primitive(4)),
    ],
    [
      'an embedded certificate that is none',
      'ber_unexpected_tag',
      (data) => childrenOf(data).splice(3, 0, constructed(0xa0, [primitive(4)])),
    ],
    [
      'CRLs before certificates',
      'ber_unexpected_tag',
      (data) => childrenOf(data).splice(3, 0, constructed(0xa1, []), constructed(0xa0, [])),
    ],
    [
      'certificates twice',
      'ber_unexpected_tag',
      (data) => childrenOf(data).splice(3, 0, constructed(0xa0, []), constructed(0xa0, [])),
    ],
  ];
  it.each(cases)('%s', async (_name, reason, edit) => {
    expect(await refusalOf(() => parseCms(altered(edit)))).toBe(reason);
  });

  it('an unknown digest named consistently', async () => {
    const md5 = altered(
      (data) => {
        for (const list of [nodeAt(data, 1, 0), nodeAt(signerOf(data), 2)])
          childrenOf(list).splice(0, 1, oid('1.2.840.113549.2.5'));
      },
      { encoding: 3 },
    );
    expect(await refusalOf(() => parseCms(md5))).toBe('cms_digest_unknown');
  });
});

describe('refuses damage', () => {
  it('every truncation', async () => {
    const bytes = signed();
    for (let length = 0; length < bytes.length; length += 1) {
      expect(await refusalOf(() => parseCms(bytes.subarray(0, length)))).not.toBe('accepted');
    }
  });

  it('thirty thousand nested headers, at once', async () => {
    const deep = new Uint8Array(MAX_CMS_BYTES).fill(0x30).map((octet, at) => (at % 2 === 0 ? octet : 0x80));
    expect(await refusalOf(() => parseCms(deep))).toBe('ber_unexpected_tag');
  });

  it('nothing, and one empty sequence', async () => {
    expect(await refusalOf(() => parseCms(new Uint8Array(0)))).toBe('ber_truncated');
    expect(await refusalOf(() => parseCms(tlv(0x30, new Uint8Array(0))))).toBe('ber_truncated');
  });
});
