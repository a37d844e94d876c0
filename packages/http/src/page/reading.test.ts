/** What visitors see of modules and versions (PAGE-3), and what they do not (REG-8). */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addVersion,
  createPageSite,
  createVisitor,
  MANAGER,
  NETWORK,
  type PageSite,
  READER,
  STRANGER,
  type Visitor,
} from '../../test/page/page-site.js';

const MODULE = '/registry/acme/network/aws';
const call = { token: MANAGER, requestId: 'test' };
const at = (version: string) => ({ ...NETWORK, version });

let site: PageSite;
let visitor: Visitor;

beforeEach(async () => {
  site = createPageSite();
  for (const version of ['1.0.0', '1.1.0', '2.0.0']) addVersion(site, version);
  visitor = createVisitor(site.page);
  await visitor.signIn(READER);
});

describe('lists', () => {
  it('show the modules of organizations that the visitor may read', async () => {
    const { status, text } = await visitor.get('/registry');
    expect(status).toBe(200);
    expect(text).toContain(`href="${MODULE}"`);
  });

  it('show nothing of an organization to a stranger', async () => {
    const stranger = createVisitor(site.page);
    await stranger.signIn(STRANGER);
    expect((await stranger.get('/registry')).text).not.toContain('acme');
    expect((await stranger.get('/registry/acme')).status).toBe(404);
  });

  it.each([
    ['network aws', true],
    ['NETWORK', true],
    ['database', false],
  ])('find by words: %s', async (words, isFound) => {
    const { text } = await visitor.get(`/registry?${new URLSearchParams({ q: words })}`);
    expect(text.includes(`href="${MODULE}"`)).toBe(isFound);
  });

  it('lead from page to page', async () => {
    for (let count = 0; count < 60; count += 1) {
      site.catalogue.add({ address: { ...NETWORK, name: `module-${count}`, version: '1.0.0' } });
    }
    const first = await visitor.get('/registry/acme');
    expect(first.text).toContain('offset=50');
    const second = await visitor.get('/registry/acme?offset=50');
    expect(second.text).toContain('51 to 61');
    expect(second.text).toContain('href="/registry/acme?offset=0"');
  });
});

describe('the page of a module', () => {
  it('tells a deprecated latest version and all versions deprecated apart', async () => {
    await site.registry.open(call).deprecate(at('2.0.0'), {});
    const latest = await visitor.get(MODULE);
    expect(latest.text).toContain('The latest version, 2.0.0, is deprecated.');
    expect(latest.text).toContain(`href="${MODULE}/1.1.0"`);
    for (const version of ['1.0.0', '1.1.0']) await site.registry.open(call).deprecate(at(version), {});
    const all = await visitor.get(MODULE);
    expect(all.text).toContain('All versions of this module are deprecated.');
    expect(all.text).not.toContain('The latest version, 2.0.0');
  });

  it('shows every version with its state, and those of one state', async () => {
    await site.registry.open(call).deprecate(at('1.0.0'), { reason: 'Too old.' });
    const { text } = await visitor.get(MODULE);
    expect(text.match(/class="badge (active|deprecated)"/g)).toHaveLength(3);
    const deprecated = await visitor.get(`${MODULE}?state=deprecated`);
    expect(deprecated.text).toContain('Too old.');
    expect(deprecated.text.match(/class="badge (active|deprecated)"/g)).toHaveLength(1);
  });

  it('offers the newest version that is not deprecated to copy', async () => {
    await site.registry.open(call).deprecate(at('2.0.0'), {});
    const { text } = await visitor.get(MODULE);
    expect(text).toContain(
      'source  = &quot;registry.acme.example/acme/network/aws&quot;\n  version = &quot;1.1.0&quot;',
    );
  });

  it('lists the providers of a name', async () => {
    site.catalogue.add({ address: { ...NETWORK, provider: 'google', version: '1.0.0' } });
    const { text } = await visitor.get('/registry/acme/network');
    expect(text).toContain('href="/registry/acme/network/aws"');
    expect(text).toContain('href="/registry/acme/network/google"');
  });
});

describe('the page of a version', () => {
  it('warns with reason, link, replacement and sunset, and no longer after reinstating', async () => {
    await site.registry.open(call).deprecate(at('1.0.0'), {
      reason: 'Security groups were open.',
      link: 'https://wiki.acme.example/network',
      reasonClass: 'security',
      replacement: { module: 'acme/vpc/aws', version: '~> 2.0' },
      sunset: '2026-01-31',
    });
    const warned = await visitor.get(`${MODULE}/1.0.0`);
    expect(warned.text).toContain('Version 1.0.0 is deprecated');
    expect(warned.text).toContain('Security groups were open.');
    expect(warned.text).toContain(
      '<a href="https://wiki.acme.example/network" rel="nofollow noopener noreferrer">https://wiki.acme.example/network</a>',
    );
    expect(warned.text).toContain('href="/registry/acme/vpc/aws"');
    expect(warned.text).toContain('That day has passed.');
    await site.registry.open(call).reinstate(at('1.0.0'));
    const reinstated = await visitor.get(`${MODULE}/1.0.0`);
    expect(reinstated.text).not.toContain('Version 1.0.0 is deprecated');
    expect(reinstated.text).toContain('Deprecation reverted');
  });

  it('says why a version is revoked, and offers no source block', async () => {
    await site.registry.open(call).deprecate(at('1.0.0'), {});
    await site.registry.open(call).revoke(at('1.0.0'), { reason: 'Leaks a key.' });
    const { text } = await visitor.get(`${MODULE}/1.0.0`);
    expect(text).toContain('Version 1.0.0 is revoked');
    expect(text).toContain('Leaks a key.');
    expect(text).not.toContain('Use this version');
  });

  it('shows what the module declares', async () => {
    addVersion(site, '3.0.0', {
      inputs: [
        { name: 'tags', type: 'map(string)', description: 'Tags.', default: '{}', required: false, sensitive: false },
        { name: 'cidr', type: 'string', description: 'Range.', default: undefined, required: true, sensitive: false },
      ],
      outputs: [{ name: 'vpc_id', description: 'Its id.', sensitive: true }],
      providerDependencies: [{ name: 'aws', namespace: 'hashicorp', source: 'hashicorp/aws', version: '>= 5.0' }],
      dependencies: [{ name: 'subnets', source: './modules/subnets', version: '' }],
    });
    const { text } = await visitor.get(`${MODULE}/3.0.0`);
    for (const part of ['inputs', 'outputs', 'providers', 'dependencies']) expect(text).toContain(`<h2 id="${part}">`);
    expect(text.indexOf('cidr')).toBeLessThan(text.indexOf('>tags<'));
  });

  it('shows older history on pages of its own', async () => {
    for (let count = 0; count < 25; count += 1) {
      await site.registry.open(call).deprecate(at('1.0.0'), { reason: `reason ${count}.` });
    }
    const newest = await visitor.get(`${MODULE}/1.0.0`);
    expect(newest.text).toContain('before=6');
    expect(newest.text).not.toContain('reason 3.');
    expect((await visitor.get(`${MODULE}/1.0.0?before=6`)).text).toContain('reason 3.');
  });
});

describe('what is not there', () => {
  const paths = [
    '/registry/acme/network/aws/9.9.9',
    '/registry/acme/nothing/aws',
    '/registry/acme/nothing',
    '/registry/globex',
    '/registry/globex/network/aws',
    '/registry/acme/network/aws/1.0.0/deprecate',
    '/registry/acme/network/aws/1.0.0/explode',
    '/registry/a%2Fb/network/aws',
    '/registry/..%00/x/y/1.0.0',
    '/registry/acme/network/aws/1.0.0/deprecate/more',
  ];

  /** Masked anew on each page. */
  const withoutSecret = (text: string) => text.replaceAll(/name="form_secret" value="[\w-]{43}"/g, '');

  it.each(paths)('is one and the same page: %s', async (path) => {
    const missing = await visitor.get('/registry/acme/network/aws/0.0.1');
    const answer = await visitor.get(path);
    expect(answer.status).toBe(404);
    expect(withoutSecret(answer.text)).toBe(withoutSecret(missing.text));
  });

  it('is the same as what another organization has', async () => {
    const stranger = createVisitor(site.page);
    await stranger.signIn(STRANGER);
    const theirs = await stranger.get(`${MODULE}/1.0.0`);
    const none = await stranger.get(`${MODULE}/1.0.1`);
    expect(theirs.status).toBe(404);
    expect(withoutSecret(theirs.text)).toBe(withoutSecret(none.text));
  });
});

describe('trouble', () => {
  it('is 503 and says when to come back: no defect', async () => {
    site.catalogue.failNext();
    const { status, headers } = await visitor.get(MODULE);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(site.defects).toEqual([]);
  });

  it('that is unexpected is 500 without details, and is reported', async () => {
    const broken = createPageSite();
    const { registry } = broken;
    const { open } = registry;
    registry.open = (call) => ({
      ...open(call),
      listModules: () => Promise.reject(new Error('a secret of the inside')),
    });
    const guest = createVisitor(broken.page);
    await guest.signIn(READER);
    const { status, text } = await guest.get('/registry');
    expect(status).toBe(500);
    expect(text).not.toContain('secret of the inside');
    expect(broken.defects).toHaveLength(1);
  });
});
