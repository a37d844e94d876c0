/**
 * Signatures published by AWS: the signing test suite of awslabs/aws-c-auth (v0.9.0, Apache-2.0), as the crate aws-sigv4
 * 1.6.4 carries it. Each row is a request of that suite and the two signatures it expects; interop/sigv4 runs all of it.
 */
import { describe, expect, it } from 'vitest';
import { presign, type SigningOptions, signWithHeaders } from './sign-request.js';
import { verifySignedRequest } from './verify-request.js';
import type { HeaderList, PathRules, WireRequest } from './wire-request.js';

const key = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const date = Date.UTC(2015, 7, 30, 12, 36, 0);
const stsToken =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7' +
  'mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d' +
  '+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';
const vanillaToken = '6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267';
const alphabet = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

interface Vector extends PathRules {
  readonly name: string;
  readonly method?: string;
  readonly target?: string;
  readonly headers?: HeaderList;
  readonly body?: string;
  readonly token?: string;
  readonly tokenAfter?: boolean;
  readonly inHeader: string;
  readonly inQuery: string;
}

const vectors: readonly Vector[] = [
  {
    name: 'get-vanilla',
    inHeader: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    inQuery: 'e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d',
  },
  {
    name: 'get-vanilla-query-order-key-case',
    target: '/?Param2=value2&Param1=value1',
    inHeader: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    inQuery: '86012e2c9ad4d77369f5d81c11f75158aae4f895a085212cc6d3f923d300bed5',
  },
  {
    name: 'get-vanilla-query-order-encoded',
    target: '/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1',
    inHeader: '371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac',
    inQuery: 'c5f1848ceec943ac2ca68ee720460c23aaae30a2300586597ada94c4a65e4787',
  },
  {
    name: 'get-vanilla-utf8-query',
    target: '/?\u1234=bar',
    inHeader: '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    inQuery: '0bdd809b1519ac4f0c1dc3540e2cc46bd0c7f778eda408b2ebf3b913d21ff600',
  },
  {
    name: 'get-vanilla-query-unreserved',
    target: `/?${alphabet}=${alphabet}`,
    inHeader: '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
    inQuery: '8e76a88a7433637b12778d5592799b29ad21ecd6cf6325051c21d86f0acda2bf',
  },
  {
    name: 'get-utf8',
    target: '/\u1234',
    inHeader: '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85',
    inQuery: '10eae3f14a260bd3911cc6d008d3c576d143b05b62f09782a7a4b37f52178e44',
  },
  {
    name: 'get-unreserved',
    target: `/${alphabet}`,
    inHeader: '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
    inQuery: '95968482db1b9e0fadef6efc1bd24689f77c77d9ef56919c96a28cc92e0d6005',
  },
  {
    name: 'get-relative-relative-normalized',
    target: '/example1/example2/../..',
    inHeader: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    inQuery: 'e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d',
  },
  {
    name: 'get-slashes-normalized',
    target: '//example//',
    inHeader: '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84',
    inQuery: 'c1834e8fb0307243711f0f907f6ab7311ed300d87f13792d7ee4da89ab93e082',
  },
  {
    name: 'get-slashes-unnormalized',
    target: '//example//',
    normalizePath: false,
    inHeader: '87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5',
    inQuery: '822a5a9ba28072c5ab2bb4a6307d0c88276d40e49fec6b724c03fb4d4ba60fc2',
  },
  {
    name: 'get-space-normalized',
    target: '/example%20space/',
    pathEncoding: 'single',
    inHeader: '652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741',
    inQuery: '7a1f416954786484c9824d93c1f26ef64acb9b1b6c9154d08c9f07d0e394abf6',
  },
  {
    name: 'get-header-key-duplicate',
    headers: [
      ['My-Header1', 'value2'],
      ['My-Header1', 'value2'],
      ['My-Header1', 'value1'],
    ],
    inHeader: 'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
    inQuery: '3349ee0b81b4b589da0ff28a395c3591e04de515651dd74f298fa992d1507a97',
  },
  {
    name: 'get-header-value-multiline',
    headers: [['My-Header1', 'value1\n  value2\n     value3']],
    inHeader: 'cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd',
    inQuery: 'e6f5def831211aca02987a44b96826706278c7bc078112ae0263659c5b2f2d56',
  },
  {
    name: 'get-header-value-trim',
    headers: [
      ['My-Header1', ' value1'],
      ['My-Header2', ' "a   b   c"'],
    ],
    inHeader: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    inQuery: 'e7bb0fd515e125e1aec2ecc4c0c17484fb06f6846b927c35e46005dd3df3acd4',
  },
  {
    name: 'post-header-value-case',
    method: 'POST',
    headers: [['My-Header1', 'VALUE1']],
    inHeader: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
    inQuery: '0698bc9e4f7f9139065ba2909c0e99da257e8e2a42492a097bcd46d792391fed',
  },
  {
    name: 'post-vanilla-query',
    method: 'POST',
    target: '/?Param1=value1',
    inHeader: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
    inQuery: 'a9ef26247f293bffe40eeff86a0480ba8c14d31503b2e0c3399e3a16bf1a3682',
  },
  {
    name: 'get-vanilla-with-session-token',
    token: vanillaToken,
    inHeader: '07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8',
    inQuery: '7ff2b50b376cb4d151970630573d6291dc128cc5c2a12ffb237f73cc53f67b6c',
  },
  {
    name: 'post-sts-header-before',
    method: 'POST',
    token: stsToken,
    inHeader: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    inQuery: '46c2e3c63c1dbe7d39f8ada16fe7f001c1f56c5791441565323677f96308871c',
  },
  {
    name: 'post-sts-header-after',
    method: 'POST',
    token: stsToken,
    tokenAfter: true,
    inHeader: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    inQuery: '2ce6e6d2e0cf2f9d1b55fafec88cd20574c31dc2e7631979f71ba2310083e95b',
  },
  {
    name: 'post-x-www-form-urlencoded-parameters',
    method: 'POST',
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
      ['Content-Length', '13'],
    ],
    body: 'Param1=value1',
    inHeader: '328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422',
    inQuery: '0dbeb9b026c7b6675f266b8427efec9b4fa8b1f6ef1477d717aea231106eab4d',
  },
];

function requestOf({ method = 'GET', target = '/', headers = [], body }: Vector): WireRequest {
  return {
    method,
    target,
    headers: [['Host', 'example.amazonaws.com'], ...headers],
    body: body === undefined ? undefined : Buffer.from(body),
  };
}

function optionsOf({ token, tokenAfter, normalizePath = true, pathEncoding = 'double', body }: Vector): SigningOptions {
  return {
    credentials: token === undefined ? key : { ...key, sessionToken: token },
    region: 'us-east-1',
    service: 'service',
    date,
    normalizePath,
    pathEncoding,
    addContentHash: body !== undefined,
    sessionToken: tokenAfter === true ? 'unsigned' : 'signed',
  };
}

function verify(request: WireRequest, { token, normalizePath = true, pathEncoding = 'double' }: Vector) {
  return verifySignedRequest(request, {
    clock: { now: () => date },
    keyOf: () => (token === undefined ? key : { ...key, sessionToken: token }),
    service: 'service',
    acceptsRegion: (region) => region === 'us-east-1',
    normalizePath,
    pathEncoding,
  });
}

describe('the signing test suite of AWS', () => {
  it.each(vectors)('gives the signature in the header: $name', (vector) => {
    const signed = signWithHeaders(requestOf(vector), optionsOf(vector));
    expect(signed.signature).toBe(vector.inHeader);
    expect(verify(signed, vector)).toMatchObject({ ok: true, form: 'header' });
  });

  it.each(vectors)('gives the signature in the query: $name', (vector) => {
    const signed = presign(requestOf(vector), { ...optionsOf(vector), expiresSeconds: 3_600 });
    expect(signed.signature).toBe(vector.inQuery);
    const verdict = verify(signed, vector);
    // STS signs the token of a presigned request, so it refuses one that was added afterwards.
    expect(verdict).toMatchObject(vector.tokenAfter === true ? { reason: 'signature_differs' } : { ok: true });
  });
});
