/** The Authorization header of a POST (STS-7, THREAT-21) and what both kinds say of their signature. */
import { describe, expect, it } from 'vitest';
import {
  AMZ_DATE,
  authorization,
  CREDENTIAL,
  headersOf,
  prepare,
  SIGNATURE,
  SIGNED_AT,
  unsignedGet,
  unsignedPost,
  verdict,
} from '../../../test/caller-identity.js';

const good = authorization(['host', 'x-amz-date']);
const authorized = (value: unknown) => unsignedPost({ Authorization: value });
const withDate = (date: unknown) => unsignedPost({ 'X-Amz-Date': date });

describe('the Authorization header', () => {
  it.each([
    ['as SDKs write it', good],
    ['in a list of one', [good]],
    ['without spaces after commas', good.replaceAll(', ', ',')],
    [
      'with its parts in another order',
      `AWS4-HMAC-SHA256 Signature=${SIGNATURE}, SignedHeaders=host;x-amz-date, Credential=${CREDENTIAL}`,
    ],
  ])('leaves in one spelling, given %s', (_, value) => {
    expect(headersOf(authorized(value))).toContainEqual(['authorization', good]);
  });

  it.each([
    ['two values', [good, good], 'authorization_repeated'],
    ['two halves', good.split(', '), 'authorization_repeated'],
    ['another scheme', 'Bearer abc', 'authorization_scheme'],
    ['another scheme ahead', `Bearer abc, ${good}`, 'authorization_scheme'],
    ['the scheme in another case', good.toLowerCase(), 'authorization_scheme'],
    ['another algorithm', good.replace('HMAC', 'ECDSA-P256'), 'authorization_scheme'],
    ['no space after the scheme', good.replace('SHA256 ', 'SHA256,'), 'authorization_scheme'],
    ['nothing', '', 'authorization_scheme'],
    ['no parts', 'AWS4-HMAC-SHA256 ', 'authorization_malformed'],
    ['a second header in it', `${good}, ${good}`, 'authorization_malformed'],
    ['a second list of headers', `${good}, SignedHeaders=host;x-extra`, 'authorization_part_repeated'],
    ['a second credential', `${good}, Credential=${CREDENTIAL}`, 'authorization_part_repeated'],
    ['an unknown part', `${good}, Foo=1`, 'authorization_malformed'],
    ['a part in another case', good.replace('Signature', 'signature'), 'authorization_malformed'],
    ['no signature', good.slice(0, good.indexOf(', Signature')), 'authorization_malformed'],
    [
      'no list of headers',
      `AWS4-HMAC-SHA256 Credential=${CREDENTIAL}, Signature=${SIGNATURE}`,
      'authorization_malformed',
    ],
    ['a prototype name as part', `${good}, __proto__=1`, 'authorization_malformed'],
    ['a short signature', good.slice(0, -1), 'signature_malformed'],
    ['a signature in upper case', good.replace(SIGNATURE, SIGNATURE.toUpperCase()), 'signature_malformed'],
    ['a header name in upper case', good.replace('=host', '=Host'), 'signature_header_list'],
    ['a header named twice', good.replace('=host', '=host;host'), 'signature_header_list'],
    ['an empty name', good.replace('=host', '=;host'), 'signature_header_list'],
    ['a space behind a name', good.replace('x-amz-date,', 'x-amz-date ,'), 'signature_header_list'],
    ['another service', good.replace('/sts/', '/iam/'), 'signature_credential'],
    ['a scope of four parts', good.replace('/us-east-1', ''), 'signature_credential'],
    ['a scope of six parts', good.replace('/sts/', '/x/sts/'), 'signature_credential'],
    ['a region in upper case', good.replace('us-east', 'US-EAST'), 'signature_credential'],
    ['no access key', good.replace('AKIDEXAMPLE', ''), 'signature_credential'],
    ['another day in the scope', good.replace('20261121', '20261122'), 'signature_scope_date'],
  ])('is refused with %s', async (_, value, reason) => {
    expect(await verdict(authorized(value))).toBe(reason);
  });

  it('must be there, once, under whatever case of its name', async () => {
    expect(await verdict(authorized([]))).toBe('authorization_missing');
    expect(await verdict(unsignedPost({ authorization: good }))).toBe('authorization_repeated');
  });

  it('does not come with a presigned GET', async () => {
    expect(await verdict(unsignedGet({}, { Authorization: good }))).toBe('authorization_with_query');
  });
});

describe('the date', () => {
  it('is read as the instant of signing', () => {
    expect(prepare(unsignedPost()).signature.signedAt).toBe(SIGNED_AT);
    expect(prepare(unsignedGet()).signature.signedAt).toBe(SIGNED_AT);
  });

  it.each([
    [[], 'signature_date_missing'],
    [[AMZ_DATE, AMZ_DATE], 'signature_date_repeated'],
    ['d', 'signature_date_malformed'],
    ['20261121T093000', 'signature_date_malformed'],
    ['20261121T253000Z', 'signature_date_malformed'],
    ['20261131T093000Z', 'signature_date_malformed'],
    ['2026-11-21T09:30:00Z', 'signature_date_malformed'],
    ['Sat, 21 Nov 2026 09:30:00 GMT', 'signature_date_malformed'],
    ['20261120T235959Z', 'signature_scope_date'],
  ])('of %j is refused', async (date, reason) => {
    expect(await verdict(withDate(date))).toBe(reason);
  });
});
