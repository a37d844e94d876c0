/** Lists, statuses, history, and what a client is spared: entity tags, HEAD, rates (REGAPI-13). */
import { describe, expect, it } from 'vitest';
import { checkJsonApi } from '../../test/registry/json-api-schema.js';
import {
  DEPRECATE,
  JSON_API,
  MANAGED,
  MODULE,
  MODULES,
  openRegistrySite,
  READ,
  READER,
  REVOKE,
  STRANGER,
} from '../../test/registry/registry-site.js';

const named = (name: string, provider = 'aws') => ({
  address: { namespace: 'acme', name, provider, version: '1.0.0' },
});
const idsOf = ({ body }: { body: { modules: { id: string }[] } }) => body.modules.map(({ id }) => id);

describe('lists', () => {
  const site = openRegistrySite({
    versions: [
      named('a'),
      named('b'),
      named('b', 'gcp'),
      named('c'),
      { address: { ...named('z').address, namespace: 'other' } },
    ],
  });

  it.each([MODULES, `${MODULES}/acme`, `${MODULES}?namespace=acme`])('%s walks by offset and limit', async (path) => {
    const seen: string[] = [];
    let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=3`;
    while (next !== undefined) {
      const answer = await site.get(next, { token: READER });
      expect(answer.body.meta.limit).toBe(3);
      seen.push(...idsOf(answer));
      next = answer.body.meta.next_url;
    }
    expect(seen).toEqual(['acme/a/aws/1.0.0', 'acme/b/aws/1.0.0', 'acme/b/gcp/1.0.0', 'acme/c/aws/1.0.0']);
    const second = (await site.get(`${MODULES}/acme?limit=2&offset=2`)).body.meta;
    expect(second).toEqual({
      limit: 2,
      current_offset: 2,
      prev_offset: 0,
      prev_url: `${MODULES}/acme?limit=2&offset=0`,
    });
  });

  it('searches, filters, and shows a stranger nothing', async () => {
    expect(idsOf(await site.get(`${MODULES}/search?q=B%20gcp`))).toEqual(['acme/b/gcp/1.0.0']);
    expect(idsOf(await site.get(`${MODULES}/search?q=acme&provider=gcp`))).toEqual(['acme/b/gcp/1.0.0']);
    expect(idsOf(await site.get(`${MODULES}/acme`, { token: STRANGER }))).toEqual([]);
    expect(idsOf(await site.get(MODULES, { token: STRANGER }))).toEqual(['other/z/aws/1.0.0']);
  });

  it('latest by provider, and latest', async () => {
    expect(idsOf(await site.get(`${MODULES}/acme/b`))).toEqual(['acme/b/aws/1.0.0', 'acme/b/gcp/1.0.0']);
    expect((await site.get(`${MODULES}/acme/b/gcp`)).body).toMatchObject({
      id: 'acme/b/gcp/1.0.0',
      versions: ['1.0.0'],
    });
    for (const path of [`${MODULES}/acme/x`, `${MODULES}/acme/x/aws`]) expect((await site.get(path)).status).toBe(404);
  });

  it.each(['limit=0', 'limit=101', 'limit=-1', 'limit=x', 'offset=1e3', 'offset=10001'])(
    '?%s is 422',
    async (query) => {
      const { status, body } = await site.get(`${MODULES}?${query}`);
      expect([status, body.errors.length]).toEqual([422, 1]);
    },
  );
});

describe('statuses', () => {
  const ask = (body: unknown, more = {}) => ({ body, contentType: 'application/json', token: READER, ...more });

  it('answers each in order, null for what is not there', async () => {
    const site = openRegistrySite();
    await site.patch(DEPRECATE);
    await site.patch(REVOKE);
    const versions = ['acme/network/aws/1.0.0', 'acme/network/aws/9.9.9', 'nonsense', 'acme/network/aws/2.0.0'];
    const { status, body } = await site.send('POST', `${MODULES}/statuses`, ask({ versions }));
    expect(status).toBe(200);
    expect(body.statuses.map((each: { state: string } | null) => each?.state ?? null)).toEqual([
      'revoked',
      null,
      null,
      'active',
    ]);
    expect(body.statuses[3]).toEqual({ id: versions[3], state: 'active', deprecation: null });
    const strange = await site.send('POST', `${MODULES}/statuses`, ask({ versions }, { token: STRANGER }));
    expect(strange.body.statuses).toEqual([null, null, null, null]);
  });

  it.each([
    [{}, 422],
    [{ versions: 'x' }, 422],
    [{ versions: [7] }, 422],
    [{ versions: Array.from({ length: 2000 }, () => 'acme/network/aws/1.0.0') }, 422],
    ['{', 422],
  ])('%j is %i', async (body, status) => {
    const site = openRegistrySite();
    expect((await site.send('POST', `${MODULES}/statuses`, ask(body))).status).toBe(status);
    expect((await site.send('POST', `${MODULES}/statuses`, ask(body, { token: 'made-up' }))).status).toBe(401);
    expect((await site.send('POST', `${MODULES}/statuses`, ask(body, { contentType: 'text/plain' }))).status).toBe(415);
  });
});

describe('ranges', () => {
  const range = (attributes: object) => ({ body: { data: { type: 'deprecations', attributes } } });
  const path = `${MANAGED}/deprecations`;

  it('R-B2: reinstates where that is asked for, and never the opposite', async () => {
    const site = openRegistrySite();
    const undeprecate = { range: '= 1.0.0', deprecation: { 'deprecated-status': 'Undeprecated' }, 'dry-run': false };
    const active = await site.send('POST', path, range(undeprecate));
    expect(active.body.data).toMatchObject([{ attributes: { to: 'active', action: 'none', outcome: 'done' } }]);
    expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toBeNull();
    await site.send('POST', path, range({ range: '~> 1.0', deprecation: { reason: 'Old.' }, 'dry-run': false }));
    expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toMatchObject({ reason: 'Old.' });
    const { body } = await site.send('POST', path, range(undeprecate));
    expect(body.data).toMatchObject([
      { attributes: { version: '1.0.0', from: 'deprecated', to: 'active', action: 'reinstate', outcome: 'done' } },
    ]);
    expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toBeNull();
    expect((await site.get(`${READ}/1.1.0`)).body.deprecation).toMatchObject({ reason: 'Old.' });
    expect(site.events.map(({ operation }) => operation)).toContain('registry.version.reinstate');
  });

  it('a dry run tells, the same without it does', async () => {
    const site = openRegistrySite();
    const attributes = {
      range: '~> 1.0',
      deprecation: { reason: 'Old.' },
      'deprecation-details': { 'reason-class': 'legacy' },
    };
    const dry = await site.send('POST', path, range({ ...attributes, 'dry-run': true }));
    expect(dry.status).toBe(200);
    checkJsonApi(dry.body);
    expect(dry.body.meta).toEqual({ range: '~> 1.0', 'dry-run': true, complete: true, total: 2 });
    expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toBeNull();
    const asked = await site.send('POST', path, range(attributes));
    expect(asked.body).toEqual(dry.body);
    expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toBeNull();
    const { body } = await site.send('POST', path, range({ ...attributes, 'dry-run': false }));
    checkJsonApi(body);
    expect(body.data).toEqual(
      ['1.0.0', '1.1.0'].map((version) => ({
        type: 'module-versions',
        id: `acme/network/aws/${version}`,
        attributes: { version, from: 'active', to: 'deprecated', action: 'deprecate', outcome: 'done' },
      })),
    );
    expect((await site.get(`${READ}/2.0.0`)).body.deprecation).toBeNull();
    expect((await site.get(`${READ}/1.1.0`)).body).toMatchObject({
      deprecation: { reason: 'Old.', link: null },
      deprecation_details: { reason_class: 'legacy' },
    });
  });

  it.each([
    [{}, '/data/attributes/range'],
    [{ range: 'newest' }, '/data/attributes/range'],
    [{ range: '1.0.0', 'dry-run': 'yes' }, '/data/attributes/dry-run'],
    [{ range: '1.0.0', 'include-prereleases': 1 }, '/data/attributes/include-prereleases'],
    [{ range: '1.0.0', deprecation: { link: 'x' } }, '/data/attributes/deprecation/link'],
    [{ range: '1.0.0', dry_run: true }, '/data/attributes'],
    [{ range: '1.0.0', deprecation: { Reason: 'x' } }, '/data/attributes/deprecation'],
    [{ range: '1.0.0', 'deprecation-details': { sunset_at: 'x' } }, '/data/attributes/deprecation-details'],
    [
      { range: '1.0.0', deprecation: { 'deprecated-status': 'Gone' } },
      '/data/attributes/deprecation/deprecated-status',
    ],
    [
      { range: '1.0.0', deprecation: { 'deprecated-status': 'Undeprecated', reason: 'x' } },
      '/data/attributes/deprecation/reason',
    ],
  ])('%j is 422', async (attributes, pointer) => {
    const { status, body } = await openRegistrySite().send('POST', path, range(attributes));
    expect([status, body.errors[0].source]).toEqual([422, { pointer }]);
  });

  it('needs the right to manage, and its own content type', async () => {
    const site = openRegistrySite();
    expect((await site.send('POST', path, { ...range({ range: '1.0.0' }), token: READER })).status).toBe(404);
    expect(
      (await site.send('POST', path, { ...range({ range: '1.0.0' }), contentType: 'application/json' })).status,
    ).toBe(415);
  });
});

describe('what a client has already', () => {
  it.each([`${READ}/versions`, `${READ}/1.0.0`, MODULES, '/.well-known/terraform.json'])('%s', async (path) => {
    const site = openRegistrySite();
    const first = await site.get(path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toContain('private');
    expect(first.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await site.get(path, { headers: { 'if-none-match': sent } });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    const head = await site.send('HEAD', path);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)));
    if (path.startsWith('/.well')) return;
    await site.patch(DEPRECATE, { version: path === MODULES ? '2.0.0' : '1.0.0' });
    expect((await site.get(path, { headers: { 'if-none-match': etag } })).status).toBe(200);
    // A tag says nothing to somebody who may not read.
    if (path !== MODULES) {
      expect((await site.get(path, { token: STRANGER, headers: { 'if-none-match': etag } })).status).toBe(404);
    }
  });
});

describe('rates', () => {
  it('are told with every answer, and refused in the words of the representation', async () => {
    const site = openRegistrySite({ app: { rate: { perSecond: 2 } } });
    expect((await openRegistrySite().get(MODULES)).headers.get('x-ratelimit-limit')).toBeNull();
    const first = await site.get(MODULES);
    const told = ['limit', 'remaining', 'reset'].map((name) => first.headers.get(`x-ratelimit-${name}`));
    expect(told).toEqual(['2', '1', '0.000']);
    await site.get(MODULES);
    const refused = await site.get(MODULES);
    expect([refused.status, refused.body.errors.length, refused.headers.get('retry-after')]).toEqual([429, 1, '1']);
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThan(0);
    const patched = await site.patch(DEPRECATE);
    expect([patched.status, patched.headers.get('content-type')]).toEqual([429, JSON_API]);
    checkJsonApi(patched.body);
    expect((await site.get(MODULES, { token: READER })).status).toBe(200);
    site.clock.advance(1000);
    expect((await site.get(MODULES)).status).toBe(200);
  });

  it('made-up tokens make no callers: they share the bucket of their address', async () => {
    const site = openRegistrySite({ app: { rate: { perSecond: 1, burst: 3 } } });
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await site.get(MODULES, { token: `made-up-${at}` })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('made-up addresses of archives are counted, those that were signed are not', async () => {
    const site = openRegistrySite({ app: { rate: { perSecond: 1, burst: 2 } } });
    const statuses: number[] = [];
    for (let at = 0; at < 4; at += 1)
      statuses.push((await site.get(`${READ}/1.0.0/archive.tar.gz?signature=x`)).status);
    expect(statuses).toEqual([403, 403, 429, 429]);
  });

  it('addresses of one IPv6 /64 share a rate', async () => {
    let at = 0;
    const peerAddress = () => {
      at += 1;
      return `2001:db8:0:1::${at.toString(16)}`;
    };
    const site = openRegistrySite({ app: { rate: { perSecond: 1, burst: 2 }, peerAddress } });
    const statuses: number[] = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await site.get(MODULES, { token: `guess-${call}` })).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
  });

  it('R-B1: by default lets thirty jobs with 120 modules each begin at once on one token', async () => {
    const site = openRegistrySite({ app: { rate: {} } });
    const job = async () => {
      const counts = new Map<number, number>();
      for (let module = 0; module < 120; module += 1) {
        for (const path of [`${READ}/versions`, `${READ}/1.0.0/download`]) {
          const { status } = await site.fetch('GET', path, { token: READER });
          counts.set(status, (counts.get(status) ?? 0) + 1);
        }
      }
      return Object.fromEntries(counts);
    };
    const jobs = await Promise.all(Array.from({ length: 30 }, job));
    expect(jobs).toEqual(Array.from({ length: 30 }, () => ({ 200: 240 })));
  });

  it('by default stops an address with made-up tokens soon', async () => {
    const site = openRegistrySite({ app: { rate: {} } });
    const statuses: number[] = [];
    for (let at = 0; at < 210; at += 1) {
      statuses.push((await site.get(`${READ}/versions`, { token: `made-up-${at}` })).status);
    }
    expect(new Set(statuses.slice(0, 200))).toEqual(new Set([401]));
    expect(new Set(statuses.slice(200))).toEqual(new Set([429]));
  });

  it.each([{ perSecond: 0 }, { burst: 0.5 }, { perSecond: -1 }])('%j is a mistake', (rate) => {
    expect(() => openRegistrySite({ app: { rate } })).toThrow(TypeError);
  });
});

describe('a refused read', () => {
  it.each([`${READ}/9.9.9`, `${MODULES}/acme/nothing/aws`, `${MODULES}/acme/nothing/aws/1.0.0`])(
    'of %s leaves one audit event',
    async (path) => {
      const site = openRegistrySite();
      expect((await site.get(path)).status).toBe(404);
      expect((await site.get(path, { token: 'wrong' })).status).toBe(401);
      expect(site.events).toHaveLength(2);
    },
  );
});

describe('history', () => {
  it('is read by pages, newest first', async () => {
    const site = openRegistrySite({ versions: [{ address: { ...MODULE, version: '1.0.0' } }] });
    await site.deprecate({ reason: 'One.' });
    await site.deprecate({ reason: 'Two.' });
    const { body } = await site.get(`${READ}/1.0.0/history?limit=1`, { token: READER });
    expect(body).toEqual({
      history: [
        {
          seq: 2,
          time: '2026-11-21T09:00:00.000Z',
          actor: 'release-bot',
          request_id: expect.any(String),
          command: 'deprecate',
          from: 'deprecated',
          to: 'deprecated',
          reason: 'Two.',
          link: null,
          reason_class: null,
          replacement: null,
          sunset_at: null,
        },
      ],
      meta: { total: 2, next_before: 2 },
    });
    expect((await site.get(`${READ}/1.0.0/history?limit=1&before=2`)).body.history[0].reason).toBe('One.');
    expect((await site.get(`${READ}/1.0.0/history?before=x`)).status).toBe(422);
  });
});
