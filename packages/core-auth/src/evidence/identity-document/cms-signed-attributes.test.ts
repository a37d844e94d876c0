/** Signed attributes (DOC-4, THREAT-1, THREAT-7): present, once, in DER, agreeing with the signer. */

import { type BerNode, childrenOf, constructed, nodeAt, primitive, readBer, tlv, writeBer } from '@postern/internal';
import { createFakeCloud, createManualClock, type Pkcs7Options } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../test/refusal.js';
import { MAX_ATTRIBUTE_ELEMENTS, MAX_ATTRIBUTES, MAX_DEPTH } from './cms-limits.js';
import { parseCms } from './cms-signed-data.js';
import { encodeOid } from './der-oid.js';

const cloud = createFakeCloud({ clock: createManualClock(Date.UTC(2026, 1, 16)), seed: 'attributes' });
const instance = cloud.launchInstance();
const verdict = (options: Pkcs7Options) => refusalOf(() => parseCms(instance.pkcs7Der(options)));

/** A genuine value whose list of attributes is altered; the signature no longer fits, which the reader can't know. */
function altered(edit: (attributes: BerNode[]) => void, options: Pkcs7Options = {}) {
  const root = readBer(instance.pkcs7Der(options));
  edit(childrenOf(nodeAt(root, 1, 0, -1, 0, 3)));
  return refusalOf(() => parseCms(writeBer(root)));
}
const unknown = (arc: number, ...values: Uint8Array[]) => ({ type: `1.3.6.1.4.1.99999.${arc}`, values });
const integer = (value: number) => tlv(2, Uint8Array.of(value));
/** In DER order for encoding 5. */
const [CONTENT_TYPE, SIGNING_TIME, PROTECTION, MESSAGE_DIGEST] = [0, 1, 2, 3];

describe('as signed', () => {
  const cases: [name: string, verdict: string, options: Pkcs7Options][] = [
    ['no content type', 'cms_content_type_missing', { omitAttributes: ['contentType'] }],
    ['no message digest', 'cms_message_digest_missing', { omitAttributes: ['messageDigest'] }],
    ['no signing time', 'accepted', { omitAttributes: ['signingTime'] }],
    ['no algorithm protection', 'accepted', { omitAttributes: ['algorithmProtection'] }],
    ['the content type of SignedData', 'cms_content_type_mismatch', { contentTypeAttribute: '1.2.840.113549.1.7.2' }],
    ['the message digest twice', 'cms_attribute_duplicate', { repeatAttributes: ['messageDigest'] }],
    ['the signing time twice', 'cms_attribute_duplicate', { repeatAttributes: ['signingTime'] }],
    [
      'two message digests',
      'cms_attribute_duplicate',
      { extraAttributes: [{ type: '1.2.840.113549.1.9.4', values: [tlv(4, new Uint8Array(31))] }] },
    ],
    ['an attribute of an unknown type', 'accepted', { extraAttributes: [unknown(1, integer(7))] }],
    [
      'an attribute of an unknown type with two values',
      'accepted',
      { extraAttributes: [unknown(1, integer(7), integer(8))] },
    ],
    [
      'an unknown type twice',
      'cms_attribute_duplicate',
      { extraAttributes: [unknown(1, integer(7)), unknown(1, integer(8))] },
    ],
    ['an attribute without a value', 'cms_attribute_without_value', { extraAttributes: [unknown(1)] }],
    [
      'as many attributes as bounded',
      'accepted',
      { extraAttributes: Array.from({ length: MAX_ATTRIBUTES - 4 }, (_, arc) => unknown(arc, integer(1))) },
    ],
    [
      'one more',
      'cms_too_many_attributes',
      { extraAttributes: Array.from({ length: MAX_ATTRIBUTES - 3 }, (_, arc) => unknown(arc, integer(1))) },
    ],
    [
      'a value of too many elements',
      'ber_too_many_elements',
      {
        extraAttributes: [
          unknown(
            1,
            tlv(
              0x30,
              new Uint8Array(MAX_ATTRIBUTE_ELEMENTS * 2).map((_, at) => (at % 2 === 0 ? 5 : 0)),
            ),
          ),
        ],
      },
    ],
    ['a value of too many levels', 'ber_too_deep', { extraAttributes: [unknown(1, nested(MAX_DEPTH))] }],
    [
      'a value of indefinite length',
      'ber_indefinite_length',
      { extraAttributes: [unknown(1, Uint8Array.of(0x30, 0x80, 0, 0))] },
    ],
  ];
  it.each(cases)('%s', async (_name, expected, options) => {
    expect(await verdict(options)).toBe(expected);
  });
});

describe('altered', () => {
  const at = (attributes: BerNode[], index: number, ...path: number[]) =>
    nodeAt(constructed(0x31, attributes), index, ...path);
  const cases: [name: string, verdict: string, edit: (attributes: BerNode[]) => void][] = [
    ['not at all', 'accepted', () => undefined],
    ['none left', 'cms_content_type_missing', (list) => list.splice(0)],
    ['not in DER order', 'cms_attributes_not_der', (list) => list.reverse()],
    [
      'two content types in one attribute',
      'cms_attribute_many_values',
      (list) => childrenOf(at(list, CONTENT_TYPE, 1)).push(primitive(5)),
    ],
    [
      'two message digests in one attribute',
      'cms_attribute_many_values',
      (list) => childrenOf(at(list, MESSAGE_DIGEST, 1)).push(primitive(4)),
    ],
    [
      'a third part of an attribute',
      'ber_unexpected_element',
      (list) => childrenOf(at(list, MESSAGE_DIGEST)).push(primitive(4)),
    ],
    [
      'a message digest that is a string',
      'ber_unexpected_tag',
      (list) => Object.assign(at(list, MESSAGE_DIGEST, 1, 0), { tag: 0x0c }),
    ],
    [
      'a signing time that is none',
      'cms_signing_time_invalid',
      (list) => Object.assign(at(list, SIGNING_TIME, 1, 0), { content: new TextEncoder().encode('269916003828Z') }),
    ],
    [
      'a signing time of 2026 as GeneralizedTime',
      'cms_signing_time_invalid',
      (list) => Object.assign(at(list, SIGNING_TIME, 1, 0), { tag: 0x18 }),
    ],
    [
      'protection of another digest',
      'cms_algorithm_protection_mismatch',
      (list) => Object.assign(at(list, PROTECTION, 1, 0, 0, 0), { content: encodeOid('2.16.840.1.101.3.4.2.3') }),
    ],
    [
      'protection of another signature algorithm',
      'cms_algorithm_protection_mismatch',
      (list) => Object.assign(at(list, PROTECTION, 1, 0, 1, 0), { content: encodeOid('1.2.840.113549.1.1.1') }),
    ],
    [
      'protection with a MAC algorithm',
      'ber_unexpected_element',
      (list) => childrenOf(at(list, PROTECTION, 1, 0)).push(constructed(0xa2, [])),
    ],
    ['protection of the digest alone', 'ber_truncated', (list) => childrenOf(at(list, PROTECTION, 1, 0)).splice(1)],
  ];
  it.each(cases)('%s', async (_name, expected, edit) => {
    const widened = (list: BerNode[]) => {
      edit(list);
    };
    expect(await altered(widened)).toBe(expected);
  });
});

it('a signing time after 2049 is read', () => {
  const signingTime = Date.UTC(2050, 0, 1);
  expect(parseCms(instance.pkcs7Der({ signingTime })).signer.signedAttributes.signingTime).toBe(signingTime);
});

/** `levels` sequences inside one another. */
function nested(levels: number): Uint8Array {
  let value: Uint8Array = new Uint8Array(0);
  for (let level = 0; level < levels; level += 1) value = tlv(0x30, value);
  return value;
}
