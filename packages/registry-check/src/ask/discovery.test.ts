/** Finding a host's modules, and whom its token is shown to on the way. */
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
} from '../../test/fake-registry.js';
import { type CheckOptions, checkModules } from '../index.js';

const TOKEN = 'secret-token-of-acme';
const LISTED = [{ version: '1.0.0', deprecation: {} }];
const check = (given: Partial<CheckOptions> & Pick<CheckOptions, 'fetch'>) =>
  checkModules({
    installed: [call('1.0.0')],
    tokens: (host) => (host === HOST ? TOKEN : undefined),
    clock: { now: () => 0 },
    ...given,
  });
const outcome = async (given: Partial<CheckOptions> & Pick<CheckOptions, 'fetch'>) => {
  const { versions, unknown } = await check(given);
  return versions[0]?.state ?? unknown[0]?.problem.code;
};

describe('a token', () => {
  it('is shown to its host', async () => {
    const { fetch, asked } = fakeRegistries(plainRegistry(LISTED));
    expect(await outcome({ fetch })).toBe('deprecated');
    expect(asked.map(({ authorization }) => authorization)).toEqual(Array(3).fill(`Bearer ${TOKEN}`));
  });

  it('is not shown to whom its host redirects to, and does not come back', async () => {
    const elsewhere = 'https://elsewhere.test/terraform.json';
    const { fetch, asked } = fakeRegistries({
      ...plainRegistry(LISTED),
      [DISCOVERY]: json('', 302, { location: elsewhere }),
      [`GET ${elsewhere}`]: json('', 302, { location: `https://${HOST}/back` }),
      [`GET https://${HOST}/back`]: json({ 'modules.v1': BASE }),
    });
    expect(await outcome({ fetch })).toBe('deprecated');
    expect(asked.slice(0, 3).map(({ authorization }) => authorization)).toEqual([`Bearer ${TOKEN}`, null, null]);
  });

  it('is not sent in the clear because a document says so', async () => {
    const { fetch, asked } = fakeRegistries({ [DISCOVERY]: json({ 'modules.v1': `http://${HOST}/v1/modules/` }) });
    expect(await outcome({ fetch })).toBe('token_unusable');
    expect(asked).toHaveLength(1);
  });

  it.each(['a b', 'a\nb', 'a\u0000', 'é'])('that no header can hold is never sent nor quoted: %j', async (token) => {
    const { fetch, asked } = fakeRegistries(plainRegistry(LISTED));
    const { unknown } = await check({ fetch, tokens: () => token });
    expect(unknown).toMatchObject([{ problem: { code: 'token_unusable' } }]);
    expect(JSON.stringify(unknown)).not.toContain(JSON.stringify(token).slice(1, -1));
    expect(asked).toEqual([]);
  });

  it('is in no problem, whatever goes wrong', async () => {
    const quoting = () => {
      throw new TypeError(`Bearer ${TOKEN}`, { cause: Object.assign(new Error(TOKEN), { code: TOKEN }) });
    };
    const { fetch } = fakeRegistries({ [DISCOVERY]: quoting });
    expect(JSON.stringify(await check({ fetch }))).not.toContain(TOKEN);
  });
});

describe('discovery', () => {
  it.each([
    ['an address from its root', '/v1/modules/', 'deprecated'],
    ['a whole address', BASE, 'deprecated'],
    ['an address without its last slash', '/v1/modules', 'deprecated'],
    ['another scheme', 'file:///etc/', 'answer_invalid'],
    ['a user in the address', `https://user:password@${HOST}/v1/modules/`, 'answer_invalid'],
    ['no text', 4, 'no_registry'],
  ])('may tell %s', async (_name, service, expected) => {
    const { fetch } = fakeRegistries({ ...plainRegistry(LISTED), [DISCOVERY]: json({ 'modules.v1': service }) });
    expect(await outcome({ fetch })).toBe(expected);
  });

  it.each([
    [404, 'no_registry'],
    [401, 'unauthorized'],
    [500, 'server_error'],
    [418, 'answer_invalid'],
  ])('that answers %i tells why nothing is known', async (status, code) => {
    const { fetch } = fakeRegistries({ [DISCOVERY]: json({}, status, { 'retry-after': '0' }) });
    expect(await outcome({ fetch })).toBe(code);
  });

  it.each([
    ['too often', `https://${HOST}/.well-known/terraform.json`],
    ['out of TLS', `http://${HOST}/x`],
    ['to another scheme', 'data:application/json,{}'],
    ['to nowhere', 'https://'],
  ])('is not followed %s', async (_name, location) => {
    const { fetch, asked } = fakeRegistries({ [DISCOVERY]: json('', 301, { location }) });
    expect(await outcome({ fetch })).toBe('answer_invalid');
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it('is left out where the address is known, and elsewhere where that is said', async () => {
    const modulesUrl = 'http://127.0.0.1:1/m';
    const known = fakeRegistries({
      'POST http://127.0.0.1:1/m/statuses': json('', 405),
      'GET http://127.0.0.1:1/m/acme/network/aws/versions': json({ modules: [{ versions: LISTED }] }),
    });
    expect(await outcome({ fetch: known.fetch, locations: new Map([[HOST, { modulesUrl }]]) })).toBe('deprecated');
    const discoveryUrl = 'http://127.0.0.1:1/.well-known/terraform.json';
    const moved = fakeRegistries({
      [`GET ${discoveryUrl}`]: json({ 'modules.v1': '/m/' }),
      'POST http://127.0.0.1:1/m/statuses': json('', 405),
      'GET http://127.0.0.1:1/m/acme/network/aws/versions': json({ modules: [{ versions: LISTED }] }),
    });
    expect(await outcome({ fetch: moved.fetch, locations: new Map([[HOST, { discoveryUrl }]]) })).toBe('deprecated');
  });
});

it('asks once more where the first answer was a failure, after the time that was named', async () => {
  let times = 0;
  const answer = () => {
    times += 1;
    return times === 1
      ? new Response('', { status: 503, headers: { 'retry-after': '0' } })
      : Response.json({ modules: [{ versions: LISTED }] });
  };
  const { fetch } = fakeRegistries({ ...plainRegistry([]), [STATUSES]: json('', 404), [VERSIONS]: answer });
  expect(await outcome({ fetch })).toBe('deprecated');
  expect(times).toBe(2);
});
