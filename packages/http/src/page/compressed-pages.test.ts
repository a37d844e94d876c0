/** gzip of pages, and what their lengths must not tell (REGAPI-14). */
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { addVersion, createPageSite, createVisitor, MANAGER, ORIGIN, READER } from '../../test/page/page-site.js';

const VERSION = '/registry/acme/network/aws/1.0.0';

async function open() {
  const site = createPageSite();
  addVersion(site, '1.0.0', { readme: '# Network\n\nA text that repeats.\n\n'.repeat(40) });
  const read = async (path: string, headers: Record<string, string>) => {
    const request = new Request(ORIGIN + path, { headers: { authorization: `Bearer ${READER}`, ...headers } });
    const response = await site.page.fetch(request, undefined);
    return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  return { site, read };
}

describe('a page', () => {
  it('is compressed for who accepts it, and varies by that', async () => {
    const { read } = await open();
    const plain = await read(VERSION, {});
    const gzipped = await read(VERSION, { 'accept-encoding': 'gzip' });
    expect(gzipped.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(gzipped.bytes).toString()).toBe(plain.bytes.toString());
    for (const { headers, bytes } of [plain, gzipped]) {
      expect(headers.get('vary')).toBe('accept-encoding');
      expect(headers.get('content-length')).toBe(String(bytes.length));
      expect(headers.get('cache-control')).toBe('no-store');
    }
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  it('is not compressed where another site made the browser ask', async () => {
    const { read } = await open();
    const { headers } = await read(VERSION, { 'accept-encoding': 'gzip', 'sec-fetch-site': 'cross-site' });
    expect(headers.get('content-encoding')).toBeNull();
  });

  it('compresses the style sheet too', async () => {
    const { read } = await open();
    const page = (await read('/registry', {})).bytes.toString();
    const path = /href="([^"]+\.css)"/.exec(page)?.[1] ?? '';
    const { headers, bytes } = await read(path, { 'accept-encoding': 'gzip' });
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(bytes).toString()).toContain('{');
  });
});

describe('the form secret', () => {
  it('is another text on every page, and each of them is accepted in this session alone', async () => {
    const { site } = await open();
    const visitor = createVisitor(site.page);
    await visitor.signIn(MANAGER);
    const secretOf = (text: string) => /name="form_secret" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const [one, two] = [secretOf((await visitor.get(VERSION)).text), secretOf((await visitor.get(VERSION)).text)];
    expect(one).toMatch(/^[\w-]{43}$/);
    expect(one).not.toBe(two);
    for (const form_secret of [one, two]) {
      expect((await visitor.post(`${VERSION}/deprecate`, { form_secret, step: 'review', reason: 'r' })).status).toBe(
        200,
      );
    }
    for (const form_secret of [one.slice(1), `${one.slice(0, -2)}AA`, two.slice(0, 22) + one.slice(22), `${one}AAAA`]) {
      expect((await visitor.post(`${VERSION}/deprecate`, { form_secret, step: 'review' })).status).toBe(403);
    }
  });
});
