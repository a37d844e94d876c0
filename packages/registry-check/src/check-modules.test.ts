/** What registries of every kind say becomes a check: deprecated, revoked, active, or not known; never silently clean. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  BASE,
  call,
  DISCOVERY,
  fakeRegistries,
  HOST,
  json,
  plainRegistry,
  STATUSES,
  VERSIONS,
} from '../test/fake-registry.js';
import { type CheckOptions, checkModules } from './index.js';

const NOW = Date.UTC(2027, 0, 1);
type Given = Partial<CheckOptions> & Pick<CheckOptions, 'fetch' | 'installed'>;
const check = (given: Given) =>
  checkModules({ tokens: () => undefined, clock: { now: () => NOW }, timeoutMs: 200, ...given });

const NOTICE = { reason: 'Old.', link: 'https://wiki.acme.example/' };
const LISTED = [
  { version: '1.0.0', deprecation: NOTICE },
  { version: '1.1.0', deprecation: null },
  { version: '1.2.0' },
];

describe('a registry that serves the wire contract', () => {
  it('is asked once for a module, whatever of it is in use and by whom', async () => {
    const { fetch, asked } = fakeRegistries(plainRegistry(LISTED));
    const installed = [
      call(undefined, '', ''),
      call('1.0.0'),
      call('1.1.0', 'other'),
      call('1.2.0', 'third'),
      call('1.0.0', 'net.deep', `${HOST}/acme/network/aws//modules/deep`),
      call(undefined, 'local', './local'),
    ];
    const { versions, diagnostics, unknown, registries, others } = await check({ fetch, installed });
    expect(versions.map(({ version, state, callers }) => [version, state, callers])).toEqual([
      ['1.0.0', 'deprecated', ['module.net', 'module.net.module.deep']],
      ['1.1.0', 'active', ['module.other']],
      ['1.2.0', 'active', ['module.third']],
    ]);
    expect(diagnostics).toMatchObject([
      {
        summary: `Module version 1.0.0 of ${HOST}/acme/network/aws is deprecated`,
        extra: { type: 'module_version_deprecation', deprecation_message: 'Old.' },
      },
    ]);
    expect(unknown).toEqual([]);
    expect(others).toBe(1);
    expect(registries).toEqual([{ host: HOST, isRequired: true, versions: 3, answered: 3 }]);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([DISCOVERY, STATUSES, VERSIONS]);
  });

  it.each([
    ['an empty object', {}, { reason: null, link: null }],
    ['texts that are none', { reason: 4, link: {} }, { reason: null, link: null }],
    ['a reason of a megabyte', { reason: 'x'.repeat(1_000_000) }, { reason: `${'x'.repeat(2000)}…`, link: null }],
  ])('says deprecated by %s', async (_name, deprecation, notice) => {
    const { fetch } = fakeRegistries(plainRegistry([{ version: '1.0.0', deprecation }]));
    const { versions } = await check({ fetch, installed: [call('1.0.0')] });
    expect(versions).toMatchObject([{ state: 'deprecated', deprecation: notice }]);
  });

  it.each([
    ['no JSON', '<html>', 'answer_invalid'],
    ['no list', { modules: [] }, 'answer_invalid'],
    ['another version', { modules: [{ versions: [{ version: '1.0.1' }] }] }, 'not_found'],
    ['no object', { modules: [{ versions: ['1.0.0', null] }] }, 'not_found'],
    [
      'a deprecation that is none',
      { modules: [{ versions: [{ version: '1.0.0', deprecation: true }] }] },
      'answer_invalid',
    ],
    ['17 MB', ' '.repeat(17 * 1024 * 1024), 'answer_invalid'],
  ])('that answers %s leaves the version unknown', async (_name, body, code) => {
    const { fetch } = fakeRegistries({ ...plainRegistry([]), [VERSIONS]: json(body) });
    const { versions, unknown } = await check({ fetch, installed: [call('1.0.0')] });
    expect(versions).toEqual([]);
    expect(unknown).toMatchObject([{ problem: { code }, isRequired: true, callers: ['module.net'] }]);
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not_found'],
    [204, 'answer_invalid'],
    [503, 'server_error'],
    [429, 'server_error'],
  ])('that answers %i leaves the version unknown', async (status, code) => {
    const answer = () => new Response(status === 204 ? null : '{}', { status, headers: { 'retry-after': '0' } });
    const { fetch } = fakeRegistries({ ...plainRegistry([]), [VERSIONS]: answer });
    expect((await check({ fetch, installed: [call('1.0.0')] })).unknown).toMatchObject([{ problem: { code } }]);
  });
});

describe('a Postern registry', () => {
  const status = (version: string, more: object = {}) => ({
    id: `acme/network/aws/${version}`,
    state: 'active',
    deprecation: null,
    ...more,
  });

  it('is asked once for everything, and says more', async () => {
    const details = {
      reason_class: 'security',
      replacement: { module: null, version: '~> 2.0' },
      sunset_at: '2026-12-31T00:00:00.000Z',
    };
    const { fetch, asked } = fakeRegistries({
      [DISCOVERY]: json({ 'modules.v1': '/v1/modules/' }),
      [STATUSES]: json({
        statuses: [
          status('1.0.0', { state: 'deprecated', deprecation: NOTICE, deprecation_details: details }),
          status('1.1.0', {
            state: 'revoked',
            deprecation: NOTICE,
            deprecation_details: {},
            revocation: { reason: 'Stolen.', link: null },
          }),
          null,
        ],
      }),
    });
    const installed = [call('1.0.0'), call('1.1.0'), call('9.0.0')];
    const { versions, diagnostics, unknown } = await check({ fetch, installed });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.body).toEqual({
      versions: ['acme/network/aws/1.0.0', 'acme/network/aws/1.1.0', 'acme/network/aws/9.0.0'],
    });
    expect(versions).toMatchObject([
      {
        state: 'deprecated',
        isPastSunset: true,
        deprecation: { reasonClass: 'security', replacement: { version: '~> 2.0' }, sunsetAt: Date.UTC(2026, 11, 31) },
      },
      { state: 'revoked', isPastSunset: false, revocation: { reason: 'Stolen.' } },
    ]);
    expect(diagnostics[0]?.advice).toHaveLength(3);
    expect(unknown).toMatchObject([{ version: '9.0.0', problem: { code: 'not_found' } }]);
  });

  it('is asked about a hundred at a time', async () => {
    const { fetch, asked } = fakeRegistries({
      [DISCOVERY]: json({ 'modules.v1': '/v1/modules/' }),
      [STATUSES]: ({ body }) => {
        const { versions } = body as { versions: string[] };
        return Response.json({ statuses: versions.map((id) => ({ id, state: 'active', deprecation: null })) });
      },
    });
    const installed = Array.from({ length: 250 }, (_, at) => call(`1.0.${at}`));
    expect((await check({ fetch, installed })).versions).toHaveLength(250);
    expect(asked.slice(1).map(({ body }) => (body as { versions: string[] }).versions.length)).toEqual([100, 100, 50]);
  });

  it.each([
    ['answers about others', { statuses: [{ ...status('1.0.0'), id: 'acme/vpc/aws/1.0.0' }] }],
    ['answers too little', { statuses: [] }],
    ['answers something else', ['x']],
    ['answers no JSON', '<html>'],
  ])('that %s is asked for its lists', async (_name, body) => {
    const { fetch } = fakeRegistries({ ...plainRegistry(LISTED), [STATUSES]: json(body) });
    expect((await check({ fetch, installed: [call('1.0.0')] })).versions).toMatchObject([{ state: 'deprecated' }]);
  });
});

describe('a registry that does not know how to be asked about many', () => {
  it('may fail at the question and still tell', async () => {
    const failing = json({}, 500, { 'retry-after': '0' });
    const { fetch } = fakeRegistries({ ...plainRegistry(LISTED), [STATUSES]: failing });
    expect((await check({ fetch, installed: [call('1.0.0')] })).versions).toMatchObject([{ state: 'deprecated' }]);
  });

  it('is not asked again where it is gone', async () => {
    const { fetch, asked } = fakeRegistries({ [DISCOVERY]: json({ 'modules.v1': '/v1/modules/' }) });
    const { unknown } = await check({ fetch, installed: [call('1.0.0')] });
    expect(unknown).toMatchObject([{ problem: { code: 'unreachable' } }]);
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
  });
});

describe('which registries must answer', () => {
  const installed = [
    call('1.0.0'),
    call('5.0.0', 'vpc', 'registry.terraform.io/terraform-aws-modules/vpc/aws'),
    call('5.0.0', 'short', 'terraform-aws-modules/vpc/aws'),
  ];

  it('are all but the public ones', async () => {
    const { fetch, asked } = fakeRegistries(plainRegistry(LISTED));
    const { unknown, registries } = await check({ fetch, installed });
    expect(unknown).toMatchObject([{ isRequired: false, problem: { code: 'unreachable' } }]);
    expect(unknown[0]?.callers).toEqual(['module.vpc', 'module.short']);
    expect(registries.map(({ isRequired, answered }) => [isRequired, answered])).toEqual([
      [true, 1],
      [false, 0],
    ]);
    // Nothing is posted to those.
    expect(asked.filter(({ method }) => method === 'POST').map(({ url }) => url)).toEqual([`${BASE}statuses`]);
  });

  it('are those that are named', async () => {
    const { fetch } = fakeRegistries({});
    const { unknown } = await check({ fetch, installed, required: new Set(['registry.terraform.io']) });
    expect(unknown.map(({ isRequired }) => isRequired)).toEqual([false, true]);
  });

  it('includes the owner of a source that cannot be parsed', async () => {
    const { fetch } = fakeRegistries({});
    const { unknown } = await check({ fetch, installed: [call('1.0.0', 'x', 'oci://registry.acme.test/x')] });
    expect(unknown).toMatchObject([{ isRequired: true, problem: { code: 'source_invalid' } }]);
  });
});

describe('bounds', () => {
  it('asks about so many versions, and says that it left the others out', async () => {
    const { fetch } = fakeRegistries({});
    const installed = Array.from({ length: 2001 }, (_, at) => call(`1.0.${at}`));
    const { unknown } = await check({ fetch, installed });
    expect(unknown).toHaveLength(2001);
    expect(unknown.at(-1)?.problem.code).toBe('too_many');
  });

  it('asks so many at a time, and no more once a registry is down', async () => {
    let [running, most, lists] = [0, 0, 0];
    const { fetch } = fakeRegistries(plainRegistry([]));
    const counted: typeof fetch = async (url, init) => {
      if (!url.pathname.endsWith('/versions')) return fetch(url, init);
      running += 1;
      lists += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return new Response('{}', { status: 500, headers: { 'retry-after': '0' } });
    };
    const installed = Array.from({ length: 50 }, (_, at) => call('1.0.0', 'm', `${HOST}/acme/m${at}/aws`));
    const { unknown } = await check({ fetch: counted, installed, concurrency: 3 });
    expect(unknown.map(({ problem }) => problem.code)).toEqual(Array(50).fill('server_error'));
    expect(most).toBe(3);
    expect(lists).toBeLessThanOrEqual(6);
  });

  it('ends with its signal', async () => {
    const stop = new AbortController();
    const fetch = () => {
      stop.abort(new Error('enough'));
      return new Promise<Response>(() => undefined);
    };
    await expect(check({ fetch, installed: [call('1.0.0')], signal: stop.signal })).rejects.toThrow('enough');
  });

  it('ends with its signal also between two attempts', async () => {
    const stop = new AbortController();
    const busy: () => Response = () => {
      setTimeout(() => stop.abort(new Error('enough')), 5);
      return new Response('', { status: 503, headers: { 'retry-after': '4' } });
    };
    const { fetch } = fakeRegistries({ [DISCOVERY]: busy });
    await expect(check({ fetch, installed: [call('1.0.0')], signal: stop.signal })).rejects.toThrow('enough');
  });

  it('R-B3: ends with what it found when its time is over', async () => {
    const slow = 'slow.acme.test';
    const { fetch } = fakeRegistries({
      ...plainRegistry(LISTED),
      [`GET https://${slow}/.well-known/terraform.json`]: () => new Promise<Response>(() => undefined),
    });
    const installed = [call('1.0.0'), call('1.0.0', 'other', `${slow}/acme/network/aws`)];
    const { versions, unknown } = await check({ fetch, installed, timeoutMs: 60_000, maxDurationMs: 100 });
    expect(versions).toMatchObject([{ state: 'deprecated' }]);
    expect(unknown).toMatchObject([{ problem: { code: 'timeout' } }]);
  });

  it('R-B3: gives up on a registry that never answers, whatever is garbage by then', async () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new TypeError('no garbage collector');
    const collecting = setInterval(() => collect(), 10);
    const { fetch } = fakeRegistries({ [DISCOVERY]: () => new Promise<Response>(() => undefined) });
    const { unknown } = await check({ fetch, installed: [call('1.0.0')] }).finally(() => clearInterval(collecting));
    expect(unknown).toMatchObject([{ problem: { code: 'timeout' } }]);
  });

  it('gives up on a registry that never ends its answer', async () => {
    const endless = () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }));
    const { fetch } = fakeRegistries({ [DISCOVERY]: endless });
    const { unknown } = await check({ fetch, installed: [call('1.0.0')] });
    expect(unknown).toMatchObject([{ problem: { code: 'timeout' } }]);
  });
});
