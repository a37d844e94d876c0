/** From a version to its bytes: the protocol of stock clients, signed addresses, revocation (MODULE-4, MODULE-5). */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  DEPRECATE,
  MODULE,
  openRegistrySite,
  READ,
  READER,
  REVOKE,
  type RegistrySite,
  UNREVOKE,
} from '../../test/registry/registry-site.js';

const BYTES = new TextEncoder().encode('the bytes of an archive');
const version = (number: string) => ({ address: { ...MODULE, version: number }, content: BYTES });

let site: RegistrySite;
beforeEach(() => {
  site = openRegistrySite({ versions: [version('1.0.0'), version('1.1.0'), version('2.0.0-rc.1')] });
});

/** The address as a client resolves it. */
async function addressOf(number = '1.0.0') {
  const path = `${READ}/${number}/download`;
  const { body } = await site.get(path, { token: READER });
  return new URL(body.location, `http://registry.test${path}`);
}
function replaceInPath(url: URL, from: string, to: string): void {
  url.pathname = url.pathname.replace(from, to);
}

const open = (url: URL, method = 'GET', headers = {}) => site.send(method, url.href, { token: null, headers });

describe('discovery', () => {
  it('names the modules, without a token', async () => {
    const { status, headers, body } = await site.get('/.well-known/terraform.json', { token: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body).toEqual({ 'modules.v1': '/api/registry/v1/modules/' });
    // R-B12: it is a path that answers.
    expect((await site.get(body['modules.v1'], { token: READER })).body.modules).toHaveLength(1);
    expect((await site.send('POST', body['modules.v1'])).status).toBe(405);
  });
});

describe('download', () => {
  it('answers every client: JSON and header say the same address, which is relative', async () => {
    const { status, headers, body } = await site.get(`${READ}/1.0.0/download`, { token: READER });
    expect(status).toBe(200);
    expect(body).toEqual({ location: headers.get('x-terraform-get'), use_registry_credentials: false });
    expect(body.location).toMatch(/^\.\/archive\.tar\.gz\?/);
    expect(headers.get('cache-control')).toContain('no-store');
  });

  it('is absolute where the service knows its name', async () => {
    site = openRegistrySite({ app: { publicUrl: 'https://registry.acme.example/' } });
    const { body } = await site.get(`${READ}/1.0.0/download`);
    expect(body.location).toMatch(
      /^https:\/\/registry\.acme\.example\/api\/registry\/v1\/modules\/acme\/network\/aws\/1\.0\.0\/archive\.tar\.gz\?/,
    );
  });

  it('of no version leads to the latest release', async () => {
    const { status, headers } = await site.get(`${READ}/download`);
    expect([status, headers.get('location')]).toEqual([302, `${READ}/1.1.0/download`]);
  });

  it('keeps build metadata', async () => {
    site = openRegistrySite({ versions: [version('1.0.0+linux')] });
    expect((await open(await addressOf('1.0.0+linux'))).text).toBe('the bytes of an archive');
    expect((await open(await addressOf('1.0.0%2Blinux'))).text).toBe('the bytes of an archive');
  });
});

describe('the archive', () => {
  it('answers GET and HEAD without a token', async () => {
    const url = await addressOf();
    const digest = createHash('sha256').update(BYTES).digest();
    const got = await open(url);
    const head = await open(url, 'HEAD');
    expect(got.text).toBe('the bytes of an archive');
    expect(head.text).toBe('');
    for (const { status, headers } of [got, head]) {
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/gzip');
      expect(headers.get('content-length')).toBe(String(BYTES.length));
      expect(headers.get('repr-digest')).toBe(`sha-256=:${digest.toString('base64')}:`);
      expect(headers.get('etag')).toBe(`"${digest.toString('hex')}"`);
      expect(headers.get('content-disposition')).toBe('attachment; filename="acme-network-aws-1.0.0.tar.gz"');
    }
    expect((await open(url, 'GET', { 'if-none-match': got.headers.get('etag') })).status).toBe(304);
  });

  it('survives a client that sorts the query', async () => {
    const url = await addressOf();
    url.searchParams.sort();
    expect((await open(url)).status).toBe(200);
  });

  it.each<[string, (url: URL) => void]>([
    ['no signature', (url) => url.searchParams.delete('signature')],
    ['another signature', (url) => url.searchParams.set('signature', 'A'.repeat(43))],
    [
      'the signature in other letters',
      (url) => url.searchParams.set('signature', `${url.searchParams.get('signature')?.slice(0, -1)}_`),
    ],
    ['a later end', (url) => url.searchParams.set('expires', '99999999999')],
    ['no end', (url) => url.searchParams.delete('expires')],
    ['an end that is no number', (url) => url.searchParams.set('expires', '1e12')],
    ['the overlay', (url) => url.searchParams.set('overlay', 'check')],
    ['an overlay of no kind', (url) => url.searchParams.set('overlay', '')],
    ['another version', (url) => replaceInPath(url, '1.0.0', '1.1.0')],
    ['another format', (url) => replaceInPath(url, 'tar.gz', 'zip')],
    ['another module', (url) => replaceInPath(url, 'network', 'vpc')],
  ])('with %s is 403', async (_name, change) => {
    const url = await addressOf();
    change(url);
    const { status, body } = await open(url);
    expect(status).toBe(403);
    expect(body.errors).toEqual([expect.any(String)]);
  });

  it('is 403 once the address is over', async () => {
    const url = await addressOf();
    site.clock.advance(599_000);
    expect((await open(url)).status).toBe(200);
    site.clock.advance(2_000);
    expect((await open(url)).body.errors[0]).toMatch(/expired/);
  });

  it('is 404 when the version was deleted meanwhile', async () => {
    const url = await addressOf();
    site.catalogue.remove({ ...MODULE, version: '1.0.0' });
    expect((await open(url)).status).toBe(404);
  });

  it('lets go of its content when the client goes away', async () => {
    let isOpen = false;
    async function* endless() {
      isOpen = true;
      try {
        for (;;) yield BYTES;
      } finally {
        isOpen = false;
      }
    }
    site = openRegistrySite({
      ports: (catalogue) => ({
        catalogue: {
          ...catalogue,
          archive: async () => ({ format: 'tar.gz', sizeBytes: 1, digest: '00', content: endless() }),
        },
      }),
    });
    const response = await site.fetch('GET', (await addressOf()).href, { token: null });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(isOpen).toBe(true);
    await reader?.cancel();
    expect(isOpen).toBe(false);
  });
});

describe('a revoked version', () => {
  it('is 403 with the reason in the body, at download and under addresses handed out before', async () => {
    const url = await addressOf();
    await site.patch(DEPRECATE);
    expect((await site.get(`${READ}/1.0.0/download`)).status).toBe(200);
    await site.patch(REVOKE);
    for (const answer of [await site.get(`${READ}/1.0.0/download`), await open(url), await open(url, 'HEAD')]) {
      expect(answer.status).toBe(403);
    }
    expect((await site.get(`${READ}/1.0.0/download`)).text).toBe(
      '{"errors":["Module version 1.0.0 of acme/network/aws is revoked. Leaks keys. More information: https://wiki.acme.example/2"]}',
    );
    await site.patch(UNREVOKE);
    expect((await open(url)).status).toBe(200);
  });
});
