/** gzip of the registry's answers: negotiated, with tags of their own, and nothing else changed (REGAPI-14). */
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { MODULE, openRegistrySite, READ, READER, type RegistrySite } from '../../test/registry/registry-site.js';

const GZIP = { 'accept-encoding': 'gzip, deflate' };

let site: RegistrySite;
beforeEach(() => {
  site = openRegistrySite({ versions: Array.from({ length: 60 }, (_, at) => `1.${at}.0`) });
});

async function read(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await site.fetch(method, path, { token: READER, headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('an answer', () => {
  it.each(['/versions', '/1.0.0', ''])('of %j is the same bytes, compressed, under another tag', async (path) => {
    if (path !== '/versions')
      site.catalogue.add({ address: { ...MODULE, version: '1.0.0' }, description: 'x'.repeat(2000) });
    if (path === '') for (let at = 1; at < 60; at += 1) site.catalogue.remove({ ...MODULE, version: `1.${at}.0` });
    const plain = await read(`${READ}${path}`, {});
    const gzipped = await read(`${READ}${path}`, GZIP);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(gzipped.headers.get('content-encoding')).toBe('gzip');
    expect(gzipped.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(gunzipSync(gzipped.bytes)).toEqual(plain.bytes);
    for (const { headers, bytes } of [plain, gzipped]) {
      expect(headers.get('vary')).toBe('authorization, accept-encoding');
      expect(headers.get('content-length')).toBe(String(bytes.length));
    }
    expect(gzipped.headers.get('etag')).toMatch(/^"[\w-]+-gzip"$/);
    expect(gzipped.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  });

  it('is 304 for the tag of the form that the client accepts, and for no other', async () => {
    const path = `${READ}/versions`;
    const tag = (await read(path, GZIP)).headers.get('etag') ?? '';
    const plain = (await read(path, {})).headers.get('etag') ?? '';
    const again = await read(path, { ...GZIP, 'if-none-match': tag });
    expect([again.status, again.headers.get('etag'), again.bytes.length]).toEqual([304, tag, 0]);
    expect(again.headers.get('content-encoding')).toBeNull();
    expect((await read(path, { 'if-none-match': plain })).status).toBe(304);
    expect((await read(path, { 'if-none-match': tag })).status).toBe(200);
    expect((await read(path, { ...GZIP, 'if-none-match': plain })).status).toBe(200);
  });

  it('to HEAD says what GET would', async () => {
    const get = await read(`${READ}/versions`, GZIP);
    const head = await read(`${READ}/versions`, GZIP, 'HEAD');
    for (const name of ['etag', 'content-length', 'content-encoding', 'content-type', 'vary']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect(head.bytes.length).toBe(0);
  });

  it('that is short, refuses, or is an archive stays as it is', async () => {
    for (const path of [`${READ}/1.0.0/status`, `${READ}/9.9.9`, '/.well-known/terraform.json']) {
      expect((await read(path, GZIP)).headers.get('content-encoding')).toBeNull();
    }
    site.catalogue.add({ address: { ...MODULE, version: '1.0.0' }, content: new Uint8Array(5000) });
    const { location } = JSON.parse((await read(`${READ}/1.0.0/download`, GZIP)).bytes.toString());
    const archive = await read(new URL(location, `http://registry.test${READ}/1.0.0/`).href, GZIP);
    expect([archive.status, archive.headers.get('content-encoding'), archive.bytes.length]).toEqual([200, null, 5000]);
  });

  it('has the plain tag where too much is compressed at once', async () => {
    const plain = await read(`${READ}/versions`, {});
    const paths = Array.from({ length: 6 }, (_, at) => `${READ}/1.${at}.0`);
    for (let at = 0; at < 6; at += 1) {
      site.catalogue.add({ address: { ...MODULE, version: `1.${at}.0` }, description: `${at}`.repeat(2000) });
    }
    const answers = await Promise.all(paths.map((path) => read(path, GZIP)));
    for (const { headers, bytes } of answers) {
      const isGzipped = headers.get('content-encoding') === 'gzip';
      expect(headers.get('etag')?.endsWith('-gzip"')).toBe(isGzipped);
      expect(JSON.parse((isGzipped ? gunzipSync(bytes) : bytes).toString())).toHaveProperty('versions');
    }
    expect(plain.status).toBe(200);
  });
});
