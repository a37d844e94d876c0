/** Registered certificates through the catalogue (CERT-1 to CERT-3, ERROR-2). */

import { encodeBase64, encodeUtf8 } from '@postern/kernel';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { createTestMethod, type TestMethod } from '../../test/create-test-method.js';

type Body = Readonly<Record<string, unknown>>;

const cloud = createFakeCloud({ clock: createManualClock(1_700_000_000_000), seed: 'certificates' });
const pem = cloud.certificates().pkcs7Rsa2048;
const other = cloud.certificates().identityRsa;
const wrapped = (encodeBase64(encodeUtf8(pem)).match(/.{1,64}/g) ?? []).join('\n');
const write = (test: TestMethod, body: Body, name = 'a') =>
  answerOf(test.host('config.certificate.write', { cert_name: name }, body));
const read = async (test: TestMethod, name = 'a') =>
  (await test.host('config.certificate.read', { cert_name: name })).data;

describe('registering a certificate', () => {
  it.each<[string, Body, Body]>([
    [
      'base64 of PEM, in lines',
      { cloud_public_cert: wrapped, type: 'pkcs7' },
      { cloud_public_cert: pem, type: 'pkcs7' },
    ],
    ['PEM', { cloud_public_cert: pem }, { cloud_public_cert: pem, type: 'pkcs7' }],
    ['no line break at the end', { cloud_public_cert: pem.trimEnd() }, { cloud_public_cert: pem.trimEnd() }],
    ['as it recommends: a blank line after it', { cloud_public_cert: `${pem}\n` }, { cloud_public_cert: `${pem}\n` }],
    ['a type in upper case', { cloud_public_cert: pem, type: 'IDENTITY' }, { type: 'identity' }],
  ])('%s', async (_name, body, shown) => {
    const test = createTestMethod();
    expect(await write(test, body)).toBe('204');
    expect(await read(test)).toMatchObject(shown);
    expect(await write(test, (await read(test)) ?? {})).toBe('204');
    expect(await read(test)).toMatchObject(shown);
  });

  it.each<[string, Body, string]>([
    ['no text', { type: 'pkcs7' }, 'certificate_missing'],
    ['empty text', { cloud_public_cert: '' }, 'certificate_missing'],
    ['two blocks', { cloud_public_cert: pem + other }, 'certificate_invalid'],
    ['no certificate', { cloud_public_cert: 'hello' }, 'certificate_invalid'],
    ['an unknown type, which is looked at first', { cloud_public_cert: '', type: 'x509' }, 'certificate_type_invalid'],
    ['an empty type', { cloud_public_cert: pem, type: '' }, 'certificate_type_invalid'],
  ])('is refused: %s', async (_name, body, code) => {
    const test = createTestMethod();
    expect(await write(test, body)).toBe(code);
    expect(await answerOf(test.host('config.certificate.read', { cert_name: 'a' }))).toBe('not_found');
  });

  it('again replaces it, and keeps the type where none is sent', async () => {
    const test = createTestMethod();
    await write(test, { cloud_public_cert: pem, type: 'identity' });
    expect(await write(test, { cloud_public_cert: other })).toBe('204');
    expect(await read(test)).toEqual({ cloud_public_cert: other, type: 'identity' });
    expect(await write(test, { type: 'pkcs7' })).toBe('certificate_missing');
    expect(await read(test)).toEqual({ cloud_public_cert: other, type: 'identity' });
  });

  it('keeps the case of names, lists them in order and lists no built-in one', async () => {
    const test = createTestMethod();
    expect((await test.host('config.certificate.list')).data).toEqual({ keys: [] });
    await write(test, { cloud_public_cert: pem }, 'b');
    await write(test, { cloud_public_cert: other }, 'B');
    expect((await test.host('config.certificate.list')).data).toEqual({ keys: ['B', 'b'] });
    expect(await read(test, 'B')).toMatchObject({ cloud_public_cert: other });
    await test.host('config.certificate.delete', { cert_name: 'B' });
    expect((await test.host('config.certificate.list')).data).toEqual({ keys: ['b'] });
    expect(await answerOf(test.host('config.certificate.delete', { cert_name: 'B' }))).toBe('204');
  });

  it('under what is no name is not found', async () => {
    expect(await write(createTestMethod(), { cloud_public_cert: pem }, 'a/b')).toBe('not_found');
  });
});
