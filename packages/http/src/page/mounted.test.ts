/** The page below the application of all: what is its own, and what stays the others'. */
import { createHttpApp } from '@postern/http';
import { describe, expect, it } from 'vitest';
import { createFakeMethod } from '../../test/fake-method.js';
import { createPageSite, createVisitor, READER } from '../../test/page/page-site.js';

describe('the application with a page', () => {
  const options = {
    method: createFakeMethod(),
    peerAddress: () => undefined,
    health: () => ({ storageReachable: true, version: '0', serverTime: 0 }),
  };

  it('serves it at its path and below, and nothing else of it', async () => {
    const { page } = createPageSite({ path: '/ui/modules' });
    const app = createHttpApp<undefined>({ ...options, registryPage: page });
    const visitor = createVisitor({ path: page.path, fetch: app.fetch });
    expect((await visitor.get('/ui/modules')).status).toBe(401);
    const answer = await visitor.post('/ui/modules/-/sign-in', { token: READER, next: '/ui/modules/acme' });
    expect(answer.headers.get('location')).toBe('/ui/modules/acme');
    expect((await visitor.get('/ui/modules/acme')).status).toBe(200);
    expect((await visitor.get('/v1/sys/health')).status).toBe(200);
    for (const path of ['/ui/modulesnot', '/ui', '/registry']) {
      expect((await visitor.get(path)).text).toBe('{"errors":[]}');
    }
  });

  it('answers HEAD like GET, and other methods with the page of what is not there', async () => {
    const { page } = createPageSite();
    const send = (method: string) =>
      page.fetch(new Request('http://registry.acme.example/registry/-/sign-in', { method }), undefined);
    expect((await send('HEAD')).status).toBe(200);
    expect((await send('DELETE')).status).toBe(404);
  });

  it.each(['registry', '/registry/', '/', '/a b', '/a/../b'])('cannot hang at %j', (path) => {
    expect(() => createPageSite({ path })).toThrow(TypeError);
  });
});
