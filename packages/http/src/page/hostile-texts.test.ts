/** Texts of publishers and managers that mean harm: on the page they are text, and nothing else (PAGE-2). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addVersion, createPageSite, createVisitor, MANAGER, NETWORK, READER } from '../../test/page/page-site.js';
import { excerpt, externalHref, html, showable } from './html.js';
import { sourceText } from './views/document.js';

const TRAP = '"><script>alert(1)</script>\'\u001b[31m\u0000\u009b\u202e\u2066\u2028<img src=x onerror=alert(1)>&amp;';
const call = { token: MANAGER, requestId: 'test' };

async function siteWithTraps(trap: string) {
  const site = createPageSite();
  addVersion(site, '1.0.0', {
    readme: trap,
    inputs: [{ name: trap, type: trap, description: trap, default: trap, required: true, sensitive: true }],
    outputs: [{ name: trap, description: trap, sensitive: true }],
    providerDependencies: [{ name: trap, namespace: trap, source: trap, version: trap }],
    dependencies: [{ name: trap, source: trap, version: trap }],
    resources: [{ name: trap, type: trap }],
  });
  site.catalogue.add({
    address: { ...NETWORK, version: '2.0.0' },
    owner: trap,
    description: trap,
    source: `javascript:${trap}`,
  });
  const visitor = createVisitor(site.page);
  await visitor.signIn(MANAGER);
  return { site, visitor };
}

describe('a hostile text', () => {
  const base = '/registry/acme/network/aws';

  it('stays text wherever a publisher can put it', async () => {
    const { visitor } = await siteWithTraps(TRAP);
    for (const path of ['/registry', '/registry/acme', base, `${base}/1.0.0`, `${base}/2.0.0`]) {
      const { status, text } = await visitor.get(path);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script|<img src=x/);
      expect(text).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
      expect(text).not.toMatch(/href="javascript:/i);
    }
  });

  it('stays text where it comes in a request', async () => {
    const { visitor } = await siteWithTraps('');
    for (const path of [
      `/registry?${new URLSearchParams({ q: TRAP })}`,
      `${base}?${new URLSearchParams({ state: TRAP, offset: TRAP })}`,
      `${base}/1.0.0?${new URLSearchParams({ before: TRAP })}`,
      `/registry/${encodeURIComponent(TRAP)}`,
    ]) {
      const { text } = await visitor.get(path);
      expect(text).not.toMatch(/<script|<img src=x/);
    }
    const { text } = await visitor.post(`${base}/1.0.0/deprecate`, { step: 'review', reason: TRAP, link: TRAP });
    expect(text).not.toMatch(/<script|<img src=x/);
  });

  it('of a megabyte makes no page of megabytes', async () => {
    const { visitor } = await siteWithTraps('long '.repeat(200_000));
    for (const path of ['/registry', base, `${base}/1.0.0`, `${base}/2.0.0`]) {
      expect((await visitor.get(path)).text.length).toBeLessThan(200_000);
    }
  });

  it('that a manager wrote before it was refused is shown as text', async () => {
    const { site } = await siteWithTraps('');
    const version = { ...NETWORK, version: '1.0.0' };
    await site.registry.open(call).deprecate(version, { reason: '</p><script>alert(1)</script>' });
    const reader = createVisitor(site.page);
    await reader.signIn(READER);
    const { text } = await reader.get(`${base}/1.0.0`);
    expect(text).toContain('&lt;/p&gt;&lt;script&gt;');
    expect(text).not.toContain('<script');
  });

  it('is on no page an attribute or an element of its own, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const page = html`<p title="${text}">${[text, false, null, 7]}</p>`.toString();
        expect(page).toMatch(/^<p title="[^"<>]*">[^<>]*<\/p>$/);
      }),
    );
  });
});

describe('every answer', () => {
  it('has a policy under which nothing runs and nothing comes from elsewhere', async () => {
    const { visitor } = await siteWithTraps('');
    const paths = ['/registry', '/registry/acme/network/aws/1.0.0', '/registry/nothing', '/registry/-/sign-in'];
    const style = /href="([^"]+\.css)"/.exec((await visitor.get('/registry')).text)?.[1] ?? '';
    for (const path of [...paths, style]) {
      const { headers } = await visitor.get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe(path === style ? 'public, max-age=31536000, immutable' : 'no-store');
    }
  });

  it('holds no style and no script, so that the policy takes nothing away', async () => {
    const { visitor } = await siteWithTraps('|a|\n|:-:|\n|b|');
    const { text } = await visitor.get('/registry/acme/network/aws/1.0.0');
    expect(text).not.toMatch(/ style=|<style|<script| on\w+="/);
  });
});

describe('parts', () => {
  it.each([
    ['https://a.example/x', 'https://a.example/x'],
    ['HTTP://A.example', 'http://a.example/'],
    ['javascript:alert(1)', undefined],
    [' https://a.example', undefined],
    ['https://u:p@a.example', undefined],
    ['https:///a.example', undefined],
    ['https:\\\\a.example', undefined],
    ['//a.example', undefined],
    [`https://a.example/${'x'.repeat(2000)}`, undefined],
  ])('%s leads to %s', (text, href) => {
    expect(externalHref(text)).toBe(href);
  });

  it('excerpts cut no character in two', () => {
    expect(excerpt('ab😀', 3)).toBe('ab…');
    expect(excerpt('abc', 3)).toBe('abc');
    expect(showable('a\r\nb\tc\ud800')).toBe('a\nb\tc\ufffd');
  });

  it('a configuration to copy holds only what a host and an address hold', () => {
    const address = { namespace: 'acme', name: '2nd', provider: 'aws', version: '1.0.0' };
    expect(sourceText(['evil"\n}\n$', '{x}'].join(''), address)).toBe(
      'module "module_2nd" {\n  source  = "evilx/acme/2nd/aws"\n  version = "1.0.0"\n}',
    );
  });
});
