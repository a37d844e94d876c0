/** Who is signed in, for how long, and where the token is not (PAGE-5). */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addVersion,
  createPageSite,
  createVisitor,
  MANAGER,
  ORIGIN,
  type PageSite,
  READER,
} from '../../../test/page/page-site.js';

let site: PageSite;

beforeEach(() => {
  site = createPageSite();
  addVersion(site, '1.0.0');
});

describe('a visitor', () => {
  it('without a token gets the form at any address, whether anything is there or not', async () => {
    for (const path of ['/registry', '/registry/acme/network/aws', '/registry/nobody/nothing/aws/9.9.9']) {
      const { status, text } = await createVisitor(site.page).get(path);
      expect(status).toBe(401);
      expect(text).toContain('type="password"');
      expect(text).toContain(`name="next" value="${path}"`);
    }
  });

  it('signs in with a token and is led to where they wanted to go', async () => {
    const visitor = createVisitor(site.page);
    const next = '/registry/acme/network/aws?state=deprecated';
    const answer = await visitor.post('/registry/-/sign-in', { token: ` ${READER}\n`, next });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(next);
    expect((await visitor.get(next)).text).toContain('<strong>reader</strong>');
  });

  it.each(['', 'a-wrong-token', 'x'.repeat(20_000)])(
    'is told that a token is not valid, and does not see it again',
    async (token) => {
      const visitor = createVisitor(site.page);
      const { status, text, headers } = await visitor.post('/registry/-/sign-in', { token, next: '/registry' });
      expect(status).toBe(401);
      expect(text).toContain('id="token-problem"');
      if (token !== '') expect(text).not.toContain(token);
      expect(headers.getSetCookie()).toEqual([]);
    },
  );

  it.each([
    '//evil.example/',
    '/\\evil.example',
    'https://evil.example/registry',
    '/registry/../v1/sys/health',
    '/registry/%2e%2e/v1',
    '/registrynot',
    '/registry/-/sign-out',
    '/registry\r\nset-cookie: a=b',
    'javascript:alert(1)',
  ])('is not led to %j', async (next) => {
    const answer = await createVisitor(site.page).post('/registry/-/sign-in', { token: READER, next });
    expect(answer.headers.get('location')).toBe('/registry');
  });

  it('reads with a bearer token too, without a cookie', async () => {
    const { status, headers } = await createVisitor(site.page).get('/registry', { authorization: `Bearer ${READER}` });
    expect(status).toBe(200);
    expect(headers.getSetCookie()).toEqual([]);
  });

  it('signs out', async () => {
    const visitor = createVisitor(site.page);
    await visitor.signIn(READER);
    await visitor.get('/registry');
    expect((await visitor.post('/registry/-/sign-out', { form_secret: 'guessed' })).status).toBe(403);
    await visitor.get('/registry');
    expect((await visitor.post('/registry/-/sign-out', {})).status).toBe(303);
    expect((await visitor.get('/registry')).status).toBe(401);
  });

  it('who comes from another site is shown the way on: strict cookies stay behind', async () => {
    const { text } = await createVisitor(site.page).get('/registry/acme', { 'sec-fetch-site': 'cross-site' });
    expect(text).toContain('<a href="/registry/acme">Continue to the page</a>');
  });

  it('cannot be signed in by another site', async () => {
    const visitor = createVisitor(site.page);
    const fields = { token: MANAGER, next: '/registry' };
    expect((await visitor.post('/registry/-/sign-in', fields, { origin: 'https://evil.example' })).status).toBe(403);
    expect(visitor.cookies.size).toBe(0);
  });
});

describe('a peer that tries tokens', () => {
  const withRate = () =>
    createPageSite({
      loginRate: { perSecond: 1, burst: 3 },
      peerAddress: (request) => request.headers.get('x-peer') ?? undefined,
    });
  const bearer = (token: string, peer = '192.0.2.1') => ({ authorization: `Bearer ${token}`, 'x-peer': peer });
  const form = (token: string) => ({ token, next: '/registry' });

  it('by the form or by a header is refused with Retry-After', async () => {
    const { page, clock } = withRate();
    const statuses: number[] = [];
    for (const path of ['/registry/-/sign-in', '/registry/-/sign-in/', '/registry/%2D/sign-in']) {
      const { status } = await createVisitor(page).post(path, form('guess'), { 'x-peer': '192.0.2.1' });
      statuses.push(status);
    }
    expect(statuses).toEqual([401, 401, 401]);
    const refused = await createVisitor(page).post('/registry/-/sign-in', form(READER), { 'x-peer': '192.0.2.1' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.headers.get('content-type')).toContain('text/html');
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await createVisitor(page).get('/registry', bearer('another-guess'))).status).toBe(429);
    clock.advance(1000);
    expect((await createVisitor(page).get('/registry', bearer('another-guess'))).status).toBe(401);
  });

  it('holds up neither other peers nor who is signed in', async () => {
    const { page } = withRate();
    const visitor = createVisitor(page);
    expect((await visitor.post('/registry/-/sign-in', form(READER), { 'x-peer': '192.0.2.1' })).status).toBe(303);
    for (let guess = 0; guess < 5; guess += 1) await createVisitor(page).get('/registry', bearer(`guess-${guess}`));
    expect((await createVisitor(page).get('/registry', bearer(READER))).status).toBe(429);
    for (let look = 0; look < 5; look += 1) {
      expect((await visitor.get('/registry', { 'x-peer': '192.0.2.1' })).status).toBe(200);
    }
    expect((await createVisitor(page).get('/registry', { 'x-peer': '192.0.2.1' })).status).toBe(401);
    expect((await createVisitor(page).get('/registry', bearer(READER, '192.0.2.2'))).status).toBe(200);
  });
});

describe('the session', () => {
  it('is a sealed, strict cookie that scripts cannot read', async () => {
    const visitor = createVisitor(site.page);
    const [cookie = ''] = (await visitor.signIn(READER)).headers.getSetCookie();
    expect(cookie).toMatch(/^postern-session=[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(Buffer.from(cookie, 'base64').includes(READER)).toBe(false);
  });

  it('W11: is secure and bound to its host where there is TLS (PAGE-9), by the public address behind a proxy', async () => {
    const behind = createPageSite({ publicUrl: 'https://registry.acme.example' });
    addVersion(behind, '1.0.0');
    const visitor = createVisitor(behind.page, 'http://10.0.0.7:8200');
    const signIn = (origin: string) =>
      visitor.post('/registry/-/sign-in', { token: READER, next: '/registry' }, { origin });
    expect((await signIn('http://10.0.0.7:8200')).status).toBe(403);
    const [cookie] = (await signIn('https://registry.acme.example')).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-postern-session=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    const { text, headers } = await visitor.get('/registry/acme/network/aws');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    const plain = await createVisitor(site.page, 'http://10.0.0.7:8200').get('/registry');
    expect(plain.headers.get('strict-transport-security')).toBeNull();
    expect(text).toContain('&quot;registry.acme.example/acme/network/aws&quot;');
  });

  it('ends after its time, with its token, and with its key', async () => {
    const visitor = createVisitor(site.page);
    await visitor.signIn(READER);
    site.clock.advance(8 * 3600 * 1000 - 1);
    expect((await visitor.get('/registry')).status).toBe(200);
    site.clock.advance(1);
    const ended = await visitor.get('/registry');
    expect(ended.status).toBe(401);
    expect(ended.text).toContain('Your session has ended');
    expect(visitor.cookies.size).toBe(0);

    await visitor.signIn(READER);
    site.authorizer.revoke(READER);
    expect((await visitor.get('/registry')).status).toBe(401);

    await visitor.signIn(MANAGER);
    const [name = '', value = ''] = [...visitor.cookies][0] ?? [];
    const other = createPageSite();
    const answer = await other.page.fetch(
      new Request(`${ORIGIN}/registry`, { headers: { cookie: `${name}=${value}` } }),
      undefined,
    );
    expect(answer.status).toBe(401);
  });

  it('outlives a restart, and is open to every node, where they share the key', async () => {
    const sessionKey = new Uint8Array(32).fill(7);
    const [one, two] = [createPageSite({ sessionKey }), createPageSite({ sessionKey })];
    const visitor = createVisitor(one.page);
    await visitor.signIn(READER);
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await two.page.fetch(new Request(`${ORIGIN}/registry`, { headers: { cookie } }), undefined);
    expect(answer.status).toBe(200);
  });

  it('with one altered character is rejected', async () => {
    const visitor = createVisitor(site.page);
    await visitor.signIn(READER);
    const [name = '', value = ''] = [...visitor.cookies][0] ?? [];
    for (const at of [0, 20, 40, value.length - 2]) {
      const altered = `${value.slice(0, at)}${value[at] === 'A' ? 'B' : 'A'}${value.slice(at + 1)}`;
      const { status } = await createVisitor(site.page).get('/registry', { cookie: `${name}=${altered}` });
      expect(status).toBe(401);
    }
    for (const garbage of ['', '%', '....', 'A', 'x'.repeat(5000)]) {
      expect((await createVisitor(site.page).get('/registry', { cookie: `${name}=${garbage}` })).status).toBe(401);
    }
  });

  it('needs a key of the right length', () => {
    expect(() => createPageSite({ sessionKey: new Uint8Array(16) })).toThrow(TypeError);
  });
});
