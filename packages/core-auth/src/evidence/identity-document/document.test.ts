/** What a document must look like once its signature is verified (DOC-10, THREAT-12, THREAT-13). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../test/refusal.js';
import { MAX_DOCUMENT_BYTES, parseIdentityDocument } from './document.js';

const fields = {
  instanceId: 'i-0a30e04d85e6f8793',
  imageId: 'ami-6b8cef13',
  accountId: '692406183521',
  region: 'us-west-2',
  pendingTime: '2018-05-09T12:30:58Z',
};
const bytes = (text: string) => new TextEncoder().encode(text);
const verdict = (text: string) => refusalOf(() => parseIdentityDocument(bytes(text)));
const withFields = (changed: Record<string, unknown>) => JSON.stringify({ ...fields, ...changed });

it('reads the five fields and nothing else', () => {
  const text = withFields({
    privateIp: '172.31.46.215',
    billingProducts: null,
    devpayProductCodes: ['a'],
    version: '2017',
  });
  expect(parseIdentityDocument(bytes(text))).toEqual(fields);
});

it('allows JSON white space around the object: it is signed like the rest', async () => {
  expect(parseIdentityDocument(bytes(`\r\n ${withFields({})}\n`))).toEqual(fields);
});

describe('a field', () => {
  const reasons: Readonly<Record<keyof typeof fields, string>> = {
    instanceId: 'document_instance_id_invalid',
    imageId: 'document_image_id_invalid',
    accountId: 'document_account_id_invalid',
    region: 'document_region_invalid',
    pendingTime: 'document_pending_time_invalid',
  };
  const wrong = [
    undefined,
    null,
    '',
    123456789012,
    true,
    {},
    ['i-1'],
    'i 1',
    'i-1\n',
    'i-\u0000',
    'ı-1',
    '\ud800',
    'x'.repeat(257),
  ];
  const cases = Object.entries(reasons).flatMap(([name, reason]) =>
    wrong.map((value): [string, unknown, string] => [name, value, reason]),
  );
  it.each(cases)('%s must not be %j', async (name, value, reason) => {
    expect(await verdict(withFields({ [name]: value }))).toBe(reason);
  });

  it.each(Object.keys(reasons))('%s counts in its exact case only', async (name) => {
    const upper = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const document = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key === name ? upper : key, value]),
    );
    expect(await verdict(JSON.stringify(document))).toMatch(/^document_.*_invalid$/);
  });

  it.each(['12345678901', '1234567890123', '12345678901a', '１２３４５６７８９０１２'])(
    'accountId may not be %s',
    async (id) => {
      expect(await verdict(withFields({ accountId: id }))).toBe('document_account_id_invalid');
    },
  );
});

it.each([
  ['not JSON', 'document_json_syntax'],
  ['', 'document_json_syntax'],
  [`${withFields({})}x`, 'document_json_syntax'],
  [`\ufeff${withFields({})}`, 'document_json_syntax'],
  [`${withFields({})}\u00a0`, 'document_json_syntax'],
  [`[${withFields({})}]`, 'document_not_object'],
  ['null', 'document_not_object'],
  ['"i-1"', 'document_not_object'],
  [withFields({}).replace('{', '{"accountId":"1",'), 'document_json_duplicate_key'],
  [withFields({}).replace('{', '{"\\u0061ccountId":"692406183521",'), 'document_json_duplicate_key'],
  [withFields({ nested: 0 }).replace(':0', ':{"a":1,"a":1}'), 'document_json_duplicate_key'],
  [withFields({}).replace('{', '{"__proto__":{"accountId":"1"},'), 'document_json_forbidden_key'],
  [withFields({ constructor: 1 }), 'document_json_forbidden_key'],
  [withFields({ deep: 0 }).replace(':0', `:${'['.repeat(17)}${']'.repeat(17)}`), 'document_json_too_deep'],
])('%j is refused: %s', async (text, reason) => {
  expect(await verdict(text)).toBe(reason);
});

it('is UTF-8 without repair', async () => {
  const [before, after] = withFields({ x: '#' }).split('#');
  const broken = new Uint8Array([...bytes(before ?? ''), 0xff, ...bytes(after ?? '')]);
  expect(await refusalOf(() => parseIdentityDocument(broken))).toBe('document_not_utf8');
  expect(await verdict(withFields({ x: 'é' }))).toBe('accepted');
});

it('is bounded', async () => {
  const empty = withFields({ x: '' }).length;
  expect(await verdict(withFields({ x: 'y'.repeat(MAX_DOCUMENT_BYTES - empty) }))).toBe('accepted');
  expect(await verdict(withFields({ x: 'y'.repeat(MAX_DOCUMENT_BYTES - empty + 1) }))).toBe('document_too_large');
});

it('never leaves a trace on Object.prototype and throws nothing but the typed error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.json().map((json) => `{"__proto__":${json}}`),
      ),
      async (text) => {
        expect(await verdict(text)).not.toBe('accepted');
        expect(Object.keys(Object.prototype)).toEqual([]);
      },
    ),
  );
});
