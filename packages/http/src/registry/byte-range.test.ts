/** Parts of archives: single ranges, conditions, and bytes that are checked as a whole (MODULE-12). */
import { ProviderError } from '@postern/ports';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { MODULE, openRegistrySite, READ, READER, type RegistrySite } from '../../test/registry/registry-site.js';
import { askedRange, rangeOf } from './byte-range.js';

const BYTES = Uint8Array.from({ length: 1000 }, (_, at) => at % 251);

let site: RegistrySite;
let address: string;
beforeEach(async () => {
  site = openRegistrySite({ versions: [{ address: { ...MODULE, version: '1.0.0' }, content: BYTES }] });
  const { body } = await site.get(`${READ}/1.0.0/download`, { token: READER });
  address = new URL(body.location, `http://registry.test${READ}/1.0.0/`).href;
});

async function read(headers: Record<string, string>, method = 'GET') {
  const response = await site.fetch(method, address, { token: null, headers });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

describe('a range of an archive', () => {
  it.each<[string, number, number]>([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=990-', 990, 999],
    ['bytes=-5', 995, 999],
    ['bytes=-5000', 0, 999],
    ['bytes=999-5000', 999, 999],
    ['Bytes= 0-9 ', 0, 9],
  ])('%s is answered as 206 with those bytes', async (range, first, last) => {
    const { status, headers, bytes } = await read({ range });
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${first}-${last}/1000`]);
    expect(headers.get('content-length')).toBe(String(last - first + 1));
    expect(bytes).toEqual(BYTES.slice(first, last + 1));
    const whole = await read({});
    for (const name of ['etag', 'content-type', 'repr-digest', 'accept-ranges', 'content-disposition']) {
      expect(headers.get(name)).toBe(whole.headers.get(name));
    }
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
  });

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('%s is 416 with the size', async (range) => {
    const { status, headers } = await read({ range });
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */1000']);
  });

  it.each(['bytes=0-1,5-6', 'bytes=9-1', 'bytes=', 'bytes=-', 'lines=0-1', 'bytes=a-b', `bytes=0-${'9'.repeat(20)}`])(
    '%j, which is not a single range, is answered with the whole',
    async (range) => {
      const { status, bytes } = await read({ range });
      expect([status, bytes.length]).toEqual([200, 1000]);
    },
  );

  it('is answered only under the tag that it was begun with', async () => {
    const etag = (await read({})).headers.get('etag') ?? '';
    const range = 'bytes=10-19';
    expect((await read({ range, 'if-range': etag })).status).toBe(206);
    for (const other of [`W/${etag}`, '"other"', 'Sat, 21 Nov 2026 09:00:00 GMT']) {
      expect((await read({ range, 'if-range': other })).status).toBe(200);
    }
    expect((await read({ range, 'if-none-match': etag })).status).toBe(304);
    expect((await read({ range: 'bytes=1000-', 'if-none-match': etag })).status).toBe(304);
  });

  it('is ignored by HEAD, and needs a good address', async () => {
    expect((await read({ range: 'bytes=0-1' }, 'HEAD')).status).toBe(200);
    address = address.replace('signature=', 'signature=x');
    expect((await read({ range: 'bytes=0-1' })).status).toBe(403);
  });
});

describe('the bytes of a range', () => {
  async function* pieces(sizes: readonly number[], failure?: Error): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (const size of sizes) {
      yield BYTES.slice(at, at + size);
      at += size;
    }
    if (failure !== undefined) throw failure;
  }

  it('are those of the whole, however it is cut', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(999), fc.nat(999), async (cut, one, other) => {
        const size = cut.reduce((sum, each) => sum + each, 0);
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const range = askedRange(new Headers({ range: `bytes=${low}-${high}` }), '"e"', size);
        if (range === 'unsatisfiable' || range === undefined) {
          expect(low).toBeGreaterThanOrEqual(size);
          return;
        }
        const got: number[] = [];
        for await (const piece of rangeOf(pieces(cut), range)) got.push(...piece);
        expect(got).toEqual([...BYTES.slice(low, Math.min(high + 1, size))]);
      }),
    );
  });

  it('are not all given where the whole turns out to be damaged', async () => {
    const damaged = new ProviderError('unavailable', 'the stored bytes have changed');
    let given = 0;
    const reading = (async () => {
      for await (const piece of rangeOf(pieces([10, 10, 10], damaged), { first: 5, last: 14 })) given += piece.length;
    })();
    await expect(reading).rejects.toBe(damaged);
    expect(given).toBeLessThan(10);
  });
});
