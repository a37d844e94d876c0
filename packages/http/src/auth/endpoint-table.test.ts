/**
 * Every row of the endpoint table and every deprecated path over HTTP: the response to a success and to a refusal, to the last
 * member (WIRE-1, WIRE-8, WIRE-2, WIRE-10, ERROR-2, ERROR-1, POLICY-1). Every case in the neutral profile by its own path; another
 * spelling of path or verb, and the vault profile, which differs in names, by the first case of each row.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONFIG_ROWS } from '../../test/endpoints/config-rows.js';
import {
  bodyOf,
  DEPRECATED,
  done,
  type EndpointCase,
  type EndpointRow,
  fillIn,
  spellingsOf,
  textIn,
  verbsOf,
} from '../../test/endpoints/endpoint-row.js';
import { LOGIN_ROWS } from '../../test/endpoints/login-rows.js';
import { ROLE_ROWS } from '../../test/endpoints/role-rows.js';
import { TIDY_ROWS } from '../../test/endpoints/tidy-rows.js';
import { type HttpSite, IMAGE_ID, openHttpSite } from '../../test/http-site.js';
import type { ProfileName } from './wire-profile.js';

const ROWS = [...CONFIG_ROWS, ...TIDY_ROWS, ...ROLE_ROWS, ...LOGIN_ROWS];

/** What Postern adds to the method that it reimplements; each is tested where it is made. */
const ADDITIONS: ReadonlySet<string> = new Set([
  'role.explain',
  'tidy.status',
  'batch-keys.rotate',
  'data-keys.read',
  'data-keys.rotate',
  'data-keys.rewrap',
]);
const VERBS: Readonly<Record<string, string>> = { write: 'POST', read: 'GET', list: 'LIST', delete: 'DELETE' };
const slashed = (path: string) => `/${path.replace(/\*$/, '')}`;

const titleOf = ({ verb }: EndpointRow, path: string, name: string) => `${verb} ${path}: ${name}`;
const isPublic = ({ path }: EndpointRow) => path === '/login';

async function play(
  profile: ProfileName,
  row: EndpointRow,
  path: string,
  [verb, query]: readonly [string, string],
  the: EndpointCase,
) {
  const site = await openHttpSite(profile, the.site);
  const { params, body } = (await the.given?.(site)) ?? {};
  const token = isPublic(row) ? '' : site.root;
  const answer = await site.send(verb, site.mount(fillIn(path, params)) + query, { body, token });
  expect({ status: answer.status, body: answer.body }).toEqual({ status: the.status, body: bodyOf(site, the) });
  expect(answer.headers.get('retry-after')).toBe(the.retryAfter ?? null);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  await the.effect?.(site, answer);
  await site.method.settled();
}

/** One site of each profile for calls that it refuses, and a token that is good there and grants nothing. */
const denyingSites = new Map<ProfileName, Promise<{ readonly site: HttpSite; readonly plain: string }>>();

function denying(profile: ProfileName) {
  const known = denyingSites.get(profile) ?? openDenying(profile);
  denyingSites.set(profile, known);
  return known;
}

async function openDenying(profile: ProfileName) {
  const site = await openHttpSite(profile);
  await done(site.ask('POST', 'role/plain', { auth_type: 'ec2', bound_ami_id: IMAGE_ID }));
  const login = await done(site.ask('POST', 'login', { role: 'plain', ...site.proof() }));
  return { site, plain: textIn(login, 'auth', 'client_token') };
}

describe.each<ProfileName>(['neutral', 'vault'])('in the %s profile', (profile) => {
  describe.each(ROWS)('$verb $path', (row) => {
    const { successes, refusals } = row;
    for (const [spelling, path] of spellingsOf(row).entries()) {
      const [verb = ['', ''] as const] = verbsOf(row);
      const isWhole = profile === 'neutral' && spelling === 0;
      for (const [at, each] of (profile === 'neutral' ? verbsOf(row) : [verb]).entries()) {
        for (const the of isWhole && at === 0 ? successes : successes.slice(0, 1)) {
          it(titleOf(row, path, `${the.name} (${each.join('')})`), () => play(profile, row, path, each, the));
        }
      }
      for (const the of isWhole ? refusals : refusals.slice(0, 1)) {
        it(titleOf(row, path, the.name), () => play(profile, row, path, verb, the));
      }
      if (profile === 'vault') continue;

      it(titleOf(row, path, 'answers to no other verb'), async () => {
        const { site } = await denying(profile);
        const answer = await site.send('PATCH', site.mount(fillIn(path)));
        expect(answer).toMatchObject({ status: 405, body: { code: 'unsupported_operation' } });
        expect(answer.headers.get('allow')?.split(', ')).toContain(row.verb);
      });

      if (isPublic(row)) continue;
      it(titleOf(row, path, 'needs a token that may'), async () => {
        const { site, plain } = await denying(profile);
        const denied = { status: 403, body: { errors: ['permission denied'], code: 'permission_denied' } };
        for (const token of ['', 'made-up', plain]) {
          const { status, body } = await site.send(verb[0], site.mount(fillIn(path)) + verb[1], { token });
          expect({ status, body }).toEqual(denied);
        }
      });
    }
  });

  it('no row answers without a token but the login', async () => {
    const site = await openHttpSite(profile);
    const open = site.method.operations.filter(({ access }) => access === 'public').map(({ path }) => path);
    expect(open).toEqual(['login']);
  });
});

describe('the table of these tests', () => {
  it('has for every endpoint a success and a refusal', () => {
    for (const row of ROWS) {
      expect(row.successes.every(({ status }) => status < 300)).toBe(true);
      expect(row.successes.length).toBeGreaterThan(0);
      // Every endpoint but the login is also refused without a token that may.
      expect(row.refusals.every(({ status }) => status >= 400)).toBe(true);
      if (isPublic(row)) expect(row.refusals.length).toBeGreaterThan(0);
    }
  });

  it('is the catalogue: verbs, paths and deprecated paths', async () => {
    const { method } = await openHttpSite('neutral');
    const catalogue = method.operations
      .filter(({ id, scope }) => scope === 'mount' && !ADDITIONS.has(id))
      .map(({ verb, path, aliases = [] }) => [VERBS[verb], ...[path, ...aliases].map(slashed)].join(' '));
    expect(catalogue.sort()).toEqual(ROWS.map((row) => [row.verb, ...spellingsOf(row)].join(' ')).sort());
  });
});

describe('docs/spec/endpoints.md', () => {
  const text = readFileSync(new URL('../../../../docs/spec/endpoints.md', import.meta.url), 'utf8');

  it('lists every operation once', async () => {
    const { method } = await openHttpSite('neutral');
    const listed = [...text.matchAll(/^\| (POST|GET|LIST|DELETE) \| `(\S+)` \| `(\S+)` \|/gm)];
    const below = { mount: '', token: '/v1/auth/token', sys: '/v1/sys', policies: '/v1/policies' };
    const catalogue = method.operations.map(
      ({ id, scope, verb, path }) => `${VERBS[verb]} ${below[scope]}${path === '' ? '' : slashed(path)} ${id}`,
    );
    expect(listed.map(([, verb, path, id]) => `${verb} ${path} ${id}`).sort()).toEqual(catalogue.sort());
  });

  it('lists the deprecated paths, and each is tested', () => {
    const table = text.slice(text.indexOf('| Current | Deprecated |'));
    const pairs = [...table.matchAll(/^\| `(\/\S+)` \| `(\/\S+)` \|/gm)].map(([, current, old]) => [current, old]);
    expect(pairs).toEqual([...DEPRECATED, ['/roles', '/role']]);
    const tested = ROWS.flatMap((row) => spellingsOf(row));
    for (const [, old = ''] of pairs) {
      expect(tested.filter((path) => path === old || path.startsWith(`${old}/`))).not.toEqual([]);
    }
  });
});
