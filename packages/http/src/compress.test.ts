/** Which answers are compressed, and how often that is done (REGAPI-14). */
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { createCompress, wantsGzip } from './compress.js';

const body = (text: string, count = 500) => new TextEncoder().encode(text.repeat(count));

describe('a request', () => {
  it.each<[string, boolean]>([
    ['gzip', true],
    ['gzip, deflate, br', true],
    ['GZIP;Q=0.5', true],
    ['x-gzip', true],
    ['*', true],
    ['br;q=1, gzip;q=0.2', true],
    ['', false],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip;q=0, *', false],
    ['*;q=0', false],
    ['identity, gzip;q=0.5', false],
    ['gzip;q=none', false],
    ['gzipped', false],
  ])('that accepts %j is answered so: %s', (accepted, expected) => {
    expect(wantsGzip(new Headers({ 'accept-encoding': accepted }), 1024)).toBe(expected);
  });

  it('without the header, for a short answer, or sent by another site is answered plainly', () => {
    const headers = { 'accept-encoding': 'gzip' };
    expect(wantsGzip(new Headers(), 5000)).toBe(false);
    expect(wantsGzip(new Headers(headers), 1023)).toBe(false);
    expect(wantsGzip(new Headers({ ...headers, 'sec-fetch-site': 'cross-site' }), 5000)).toBe(false);
    expect(wantsGzip(new Headers({ ...headers, 'sec-fetch-site': 'same-origin' }), 5000)).toBe(true);
  });
});

describe('compression', () => {
  it('gives the bytes back, and is shorter', async () => {
    const compress = createCompress();
    const gzipped = (await compress(body('versions of a module, ')))!;
    expect(gzipped.byteLength).toBeLessThan(200);
    expect(gunzipSync(gzipped)).toEqual(Buffer.from(body('versions of a module, ')));
  });

  it('is done once for what a tag names, as far as is kept, and each time for what none does', async () => {
    const compress = createCompress(300);
    const first = await compress(body('a'), '"a"');
    expect(await compress(body('a'), '"a"')).toBe(first);
    for (let at = 0; at < 20; at += 1) await compress(body(`${at}`), `"${at}"`);
    expect(await compress(body('a'), '"a"')).not.toBe(first);
    const untagged = await compress(body('b'));
    expect(await compress(body('b'))).not.toBe(untagged);
  });

  it('of no more than four at once: others stay as they are, and what is known is answered still', async () => {
    const compress = createCompress();
    const known = await compress(body('k'), '"k"');
    const six = Array.from({ length: 6 }, (_, at) => compress(body(`${at}`)));
    expect(await compress(body('k'), '"k"')).toBe(known);
    expect((await Promise.all(six)).map((each) => each !== undefined)).toEqual([true, true, true, true, false, false]);
    expect(await compress(body('later'))).toBeDefined();
  });

  it('is left out where the platform has none', () => {
    vi.stubGlobal('CompressionStream', undefined);
    expect(wantsGzip(new Headers({ 'accept-encoding': 'gzip' }), 5000)).toBe(false);
    vi.unstubAllGlobals();
  });
});
