/** Our signatures against those of the AWS SDK's own signer, on random requests. */
import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amzDateText } from './amz-date.js';
import { uriEncode } from './canonical-uri.js';
import { presign, signWithHeaders } from './sign-request.js';
import type { WireRequest } from './wire-request.js';

/** SHA-256, plain or keyed, in the shape that the SDK asks for. */
class Sha256 {
  private readonly hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(bytesOf(data));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.hash.digest()));
  }
  reset(): void {
    throw new Error('the signer takes a new one each time');
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const visible = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const requests = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  segments: fc.array(
    text.filter((segment) => segment !== '.' && segment !== '..'),
    { maxLength: 4 },
  ),
  query: fc.dictionary(fc.stringMatching(/^[A-Za-z][\w.~+ /-]{0,8}$/), text, { maxKeys: 5 }),
  headers: fc.dictionary(fc.stringMatching(/^my-[a-z0-9-]{1,10}$/), visible, { maxKeys: 4 }),
  body: fc.option(text, { nil: undefined }),
  secretAccessKey: fc.stringMatching(/^[A-Za-z0-9+/]{40}$/),
  sessionToken: fc.option(fc.stringMatching(/^[A-Za-z0-9+/]{20,60}={0,2}$/), { nil: undefined }),
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'cn-north-1', 'us-gov-west-1'),
  seconds: fc.integer({ min: 1_400_000_000, max: 2_000_000_000 }),
});
type Sample = typeof requests extends fc.Arbitrary<infer T> ? T : never;

function sidesOf(sample: Sample) {
  const path = `/${sample.segments.map((segment) => uriEncode(segment)).join('/')}`;
  const headers = { host: 'sts.amazonaws.com', ...sample.headers };
  const query = Object.entries(sample.query).map(([name, value]) => `${uriEncode(name)}=${uriEncode(value)}`);
  const request: WireRequest = {
    method: sample.method,
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: Object.entries(headers),
    body: sample.body === undefined ? undefined : Buffer.from(sample.body),
  };
  const credentials = {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: sample.secretAccessKey,
    ...(sample.sessionToken === undefined ? {} : { sessionToken: sample.sessionToken }),
  };
  const options = { credentials, region: sample.region, service: 'sts', date: sample.seconds * 1_000 };
  const signer = new SignatureV4({ ...options, sha256: Sha256, applyChecksum: false });
  const theirs = {
    protocol: 'https:',
    hostname: 'sts.amazonaws.com',
    method: sample.method,
    path,
    query: sample.query,
    headers,
    ...(sample.body === undefined ? {} : { body: sample.body }),
  };
  return { request, options, signer, theirs, signingDate: new Date(options.date) };
}

describe('our signer and the one of the AWS SDK', () => {
  it('write the same Authorization', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (sample) => {
        const { request, options, signer, theirs, signingDate } = sidesOf(sample);
        const signed = await signer.sign(theirs, { signingDate });
        const ours = signWithHeaders(request, options);
        expect(ours.headers.find(([name]) => name === 'Authorization')?.[1]).toBe(signed.headers['authorization']);
        expect(amzDateText(options.date)).toBe(signed.headers['x-amz-date']);
      }),
      { numRuns: 300 },
    );
  });

  it('write the same signature into a query', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (sample) => {
        const { request, options, signer, theirs, signingDate } = sidesOf(sample);
        const hoistable = new Set(['host', ...Object.keys(sample.headers)]);
        const signed = await signer.presign(theirs, { signingDate, expiresIn: 900, unhoistableHeaders: hoistable });
        const ours = presign(request, { ...options, expiresSeconds: 900 });
        expect(ours.signature).toBe(signed.query?.['X-Amz-Signature']);
      }),
      { numRuns: 300 },
    );
  });
});
