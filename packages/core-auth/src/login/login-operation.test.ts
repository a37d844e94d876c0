/** Which way a body logs in (LOGIN-2). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod } from '../../test/create-test-method.js';
import { AuthError } from '../errors.js';
import { type LoginFields, parseLoginRequest } from './login-operation.js';

const iam = {
  iam_http_request_method: 'POST',
  iam_request_url: 'x',
  iam_request_body: 'x',
  iam_request_headers: { A: 'b' },
};

function codeFor(fields: LoginFields): unknown {
  try {
    return parseLoginRequest(fields).authType;
  } catch (error) {
    return error instanceof AuthError ? error.code : error;
  }
}

describe('a login body', () => {
  it.each<[string, LoginFields, string]>([
    ['nothing (dsp-001)', {}, 'login_fields_missing'],
    ['a role only', { role: 'r' }, 'login_fields_missing'],
    ['an identity without signature (dsp-002)', { identity: 'x' }, 'login_fields_missing'],
    ['a signature without identity', { signature: 'x' }, 'login_fields_missing'],
    ['empty identity and signature (dsp-006)', { identity: '', signature: '' }, 'login_fields_missing'],
    ['an identity with an empty signature', { identity: 'x', signature: '' }, 'login_fields_missing'],
    ['an empty pkcs7', { pkcs7: '' }, 'login_fields_missing'],
    ['some iam fields', { iam_request_url: 'x', iam_request_body: 'x' }, 'login_fields_missing'],
    ['pkcs7', { pkcs7: 'x' }, 'ec2'],
    ['pkcs7 with a stray identity', { pkcs7: 'x', identity: 'y' }, 'ec2'],
    ['identity and signature', { identity: 'x', signature: 'y' }, 'ec2'],
    ['pkcs7 with both others', { pkcs7: 'x', identity: 'x', signature: 'x' }, 'login_fields_ambiguous'],
    ['an empty pkcs7 with both others', { pkcs7: '', identity: 'x', signature: 'x' }, 'login_fields_ambiguous'],
    ['both ways complete (dsp-004)', { pkcs7: 'x', ...iam }, 'login_fields_ambiguous'],
    ['iam with a stray identity (dsp-005)', { identity: 'x', ...iam }, 'iam'],
    ['all iam fields', iam, 'iam'],
  ])('with %s is %s', (_name, fields, expected) => {
    expect(codeFor(fields)).toBe(expected);
  });

  it('without the body field is iam for GET only', () => {
    const { iam_request_body: _, ...get } = { ...iam, iam_http_request_method: 'GET' };
    expect(codeFor(get)).toBe('iam');
    expect(codeFor({ ...get, iam_http_request_method: 'POST' })).toBe('login_fields_missing');
  });

  it.each<[LoginFields['nonce'], object]>([
    ['', { kind: 'disabling' }],
    ['N', { kind: 'text', text: 'N' }],
  ])('tells a nonce %j from none', (nonce, expected) => {
    expect(parseLoginRequest({ pkcs7: 'x', nonce })).toMatchObject({ nonce: expected });
    expect(parseLoginRequest({ pkcs7: 'x' })).toMatchObject({ nonce: { kind: 'absent' } });
  });

  it('takes an empty role for none', () => {
    expect(parseLoginRequest({ pkcs7: 'x', role: '' })).toMatchObject({ role: undefined });
  });
});

describe('the login operation', () => {
  it.each([
    ['iam, which is not served here', iam, 'auth_type_not_enabled'],
    ['a list for pkcs7', { pkcs7: ['x'] }, 'field_invalid'],
    ['a pkcs7 that is not base64', { pkcs7: '!' }, 'evidence_unverified'],
    ['a pkcs7 of a megabyte', { pkcs7: 'A'.repeat(1024 * 1024) }, 'field_invalid'],
  ])('refuses %s', async (_name, fields, code) => {
    expect(await codeOf(createTestMethod().call('login', { fields }))).toBe(code);
  });
});
