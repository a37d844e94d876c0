/** Our signer and verifier against every case of the signing test suite of AWS, step by step. */
import { presign, type SigningOptions, signWithHeaders, verifySignedRequest } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { type SuiteCase, suiteCases, suiteFolder } from './aws-suite.js';

const folder = suiteFolder();
const cases = folder === undefined ? [] : suiteCases(folder);

function optionsOf({ name, context }: SuiteCase): SigningOptions {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, token } = context.credentials;
  return {
    credentials: { accessKeyId, secretAccessKey, ...(token === undefined ? {} : { sessionToken: token }) },
    region: context.region,
    service: context.service,
    date: Date.parse(context.timestamp),
    normalizePath: context.normalize,
    // The one request of the suite whose path comes encoded expects it to be encoded once.
    pathEncoding: name === 'get-space-normalized' ? 'single' : 'double',
    addContentHash: context.sign_body,
    sessionToken: context.omit_session_token === true ? 'unsigned' : 'signed',
  };
}

function verify(request: Parameters<typeof verifySignedRequest>[0], options: SigningOptions) {
  return verifySignedRequest(request, {
    ...options,
    clock: { now: () => options.date },
    keyOf: (id) => (id === options.credentials.accessKeyId ? options.credentials : undefined),
    acceptsRegion: (region) => region === options.region,
  });
}

describe.skipIf(folder === undefined)('the whole signing test suite of AWS', () => {
  it('is there in full', () => {
    expect(cases.length).toBeGreaterThanOrEqual(38);
  });

  it.each(cases)('is kept in the header form: $name', (given) => {
    const options = optionsOf(given);
    const signed = signWithHeaders(given.request, options);
    expect(signed.canonicalRequest).toBe(given.expected('header-canonical-request'));
    expect(signed.stringToSign).toBe(given.expected('header-string-to-sign'));
    expect(signed.signature).toBe(given.expected('header-signature'));
    expect(verify(signed, options)).toMatchObject({ ok: true });
  });

  it.each(cases)('is kept in the query form: $name', (given) => {
    const options = optionsOf(given);
    // A presigned request has no content hash: only its query and headers are there to be signed.
    const signed = presign(given.request, { ...options, expiresSeconds: given.context.expiration_in_seconds });
    expect(signed.canonicalRequest).toBe(given.expected('query-canonical-request'));
    expect(signed.stringToSign).toBe(given.expected('query-string-to-sign'));
    expect(signed.signature).toBe(given.expected('query-signature'));
  });
});
