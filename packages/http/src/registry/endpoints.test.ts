/** The four endpoints of the specification: fields, transitions, tokens (REGAPI-2, REGAPI-8). */
import { beforeEach, describe, expect, it } from 'vitest';
import { checkJsonApi } from '../../test/registry/json-api-schema.js';
import {
  DEPRECATE,
  JSON_API,
  MANAGED,
  openRegistrySite,
  READ,
  READER,
  REVERT,
  REVOKE,
  type RegistrySite,
  STRANGER,
  UNREVOKE,
} from '../../test/registry/registry-site.js';

let site: RegistrySite;
beforeEach(() => {
  site = openRegistrySite();
});

const { reason, link } = DEPRECATE.deprecation;

describe('deprecating (REGAPI-2, REGAPI-3, REGAPI-1)', () => {
  it('answers with the version, its relationship and the deprecation, and nothing else', async () => {
    const { status, headers, body } = await site.patch(DEPRECATE);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(JSON_API);
    checkJsonApi(body);
    const { id } = body.included[0];
    expect(typeof id).toBe('string');
    expect(body).toEqual({
      data: {
        type: 'module-versions',
        id: 'acme/network/aws/1.0.0',
        relationships: { deprecation: { data: { id, type: 'deprecations' } } },
      },
      included: [{ type: 'deprecations', id, attributes: { link, reason } }],
    });
  });

  it.each([
    [{}, { reason: null, link: null }],
    [{ reason }, { reason, link: null }],
    [{ link }, { reason: null, link }],
    [
      { reason: null, link: null, colour: 'red' },
      { reason: null, link: null },
    ],
  ])('takes %j', async (sent, kept) => {
    expect((await site.deprecate(sent)).body.included[0].attributes).toEqual(kept);
    expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toEqual(kept);
  });

  it('replaces the notice of a deprecated version and keeps its id', async () => {
    const first = await site.patch(DEPRECATE);
    const second = await site.deprecate({ reason: 'Another.' });
    expect(second.body.included).toEqual([
      { type: 'deprecations', id: first.body.included[0].id, attributes: { link: null, reason: 'Another.' } },
    ]);
  });

  it('keeps ours apart from `deprecation`: in the request, the answer and every read (REG-6)', async () => {
    const details = {
      'reason-class': 'security',
      replacement: { module: 'acme/vpc/aws', version: '~> 2.0' },
      sunset: '2027-01-31',
    };
    const { body } = await site.deprecate({ reason, link }, { 'deprecation-details': details });
    checkJsonApi(body);
    expect(body.included[0].attributes).toEqual({ link, reason });
    expect(body.meta).toEqual({ 'deprecation-details': { ...details, sunset: '2027-01-31T00:00:00.000Z' } });
    const listed = (await site.get(`${READ}/versions`)).body.modules[0].versions.at(-1);
    for (const read of [
      (await site.get(`${READ}/1.0.0`)).body,
      (await site.get(`${READ}/1.0.0/status`)).body,
      listed,
    ]) {
      expect(read.deprecation).toEqual({ reason, link });
      expect(read.deprecation_details).toEqual({
        reason_class: 'security',
        replacement: details.replacement,
        sunset_at: '2027-01-31T00:00:00.000Z',
        deprecated_at: '2026-11-21T09:00:00.000Z',
        deprecated_by: 'release-bot',
        revised_at: null,
        revised_by: null,
      });
    }
  });
});

describe('reverting (REGAPI-4)', () => {
  it('answers with the version alone, and reads give null again', async () => {
    await site.patch(DEPRECATE);
    const { status, body } = await site.patch(REVERT);
    expect(status).toBe(200);
    checkJsonApi(body);
    expect(body).toEqual({ data: { type: 'module-versions', id: 'acme/network/aws/1.0.0' } });
    expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toBeNull();
    const { versions } = (await site.get(`${READ}/versions`)).body.modules[0];
    expect(versions.map((each: { deprecation: unknown }) => each.deprecation)).toEqual([null, null, null]);
  });

  it('of a version that is not deprecated is 200 and changes nothing (REG-2)', async () => {
    expect((await site.patch(REVERT)).body).toEqual({
      data: { type: 'module-versions', id: 'acme/network/aws/1.0.0' },
    });
    expect((await site.get(`${READ}/1.0.0/history`)).body).toEqual({
      history: [],
      meta: { total: 0, next_before: null },
    });
  });
});

describe('revoking (REGAPI-5)', () => {
  it('takes a deprecated version, and unrevoking makes it a deprecated one again', async () => {
    await site.patch(DEPRECATE);
    const { status, body } = await site.patch(REVOKE);
    expect(status).toBe(200);
    checkJsonApi(body);
    expect(body.data).toEqual({
      type: 'registry-module-versions',
      id: 'acme/network/aws/1.0.0',
      attributes: { version: '1.0.0', revocation: REVOKE.revocation },
    });
    const read = (await site.get(`${READ}/1.0.0/status`)).body;
    expect(read).toMatchObject({ state: 'revoked', deprecation: { reason, link } });
    expect(read.revocation).toEqual({ reason: REVOKE.revocation.message, link: REVOKE.revocation.link });
    expect((await site.patch(UNREVOKE)).body.data.attributes).toEqual({ version: '1.0.0', revocation: null });
    expect((await site.get(`${READ}/1.0.0/status`)).body.state).toBe('deprecated');
  });

  it.each([
    ['of an active version', [], REVOKE],
    ['by reverting a revoked version', [DEPRECATE, REVOKE], REVERT],
  ])('a conflict %s is 409 and changes nothing', async (_name, before, conflicting) => {
    for (const attributes of before) await site.patch(attributes);
    const stood = (await site.get(`${READ}/1.0.0/status`)).text;
    const { status, body } = await site.patch(conflicting);
    expect(status).toBe(409);
    checkJsonApi(body);
    expect(body.errors[0]).toMatchObject({ status: '409', title: 'conflict' });
    expect((await site.get(`${READ}/1.0.0/status`)).text).toBe(stood);
  });
});

describe('reading (MODULE-3, MODULE-2)', () => {
  it('one version has every field of the specification', async () => {
    const { status, headers, body } = await site.get(`${READ}/1.0.0`, { token: READER });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toMatchObject({
      id: 'acme/network/aws/1.0.0',
      owner: 'release-bot',
      namespace: 'acme',
      name: 'network',
      version: '1.0.0',
      provider: 'aws',
      description: '',
      deprecation: null,
      published_at: '2026-11-21T09:00:00.000Z',
      versions: ['2.0.0', '1.1.0', '1.0.0'],
    });
  });

  it('the list has the form of the specification, and is as strict Go clients decode it', async () => {
    await site.deprecate({ reason });
    const { body } = await site.get(`${READ}/versions`, { token: READER });
    expect(body.modules).toHaveLength(1);
    expect(body.modules[0].source).toBe('acme/network/aws');
    expect(body.modules[0].versions).toHaveLength(3);
    for (const each of body.modules[0].versions) {
      expect(each).toMatchObject({
        version: expect.any(String),
        submodules: [],
        root: { dependencies: [], providers: [] },
      });
      expect(Object.hasOwn(each, 'deprecation')).toBe(true);
      if (each.deprecation === null) continue;
      expect(Object.keys(each.deprecation).sort()).toEqual(['link', 'reason']);
      for (const part of Object.values(each.deprecation)) expect(part === null || typeof part === 'string').toBe(true);
    }
  });
});

describe('tokens (REGAPI-8, REGAPI-7)', () => {
  const requests = [
    ['PATCH', `${MANAGED}/1.0.0`],
    ['POST', `${MANAGED}/deprecations`],
    ['PUT', `${MANAGED}/9.0.0`],
    ['DELETE', `${MANAGED}/1.0.0`],
    ['GET', `${READ}/1.0.0`],
    ['GET', `${READ}/versions`],
    ['GET', `${READ}/1.0.0/download`],
    ['GET', '/api/registry/v1/modules'],
  ] as const;

  it.each(requests)(
    '%s %s without a token, or with a wrong one, is 401 whatever else is wrong',
    async (method, path) => {
      for (const sent of [
        { token: null },
        { token: 'made-up' },
        { headers: { authorization: 'Basic bWU6bWU=' }, token: null },
      ]) {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{' };
        const answer = await site.send(method, path, { ...sent, ...body });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        if (path.startsWith('/api/v2'))
          expect(answer.body.errors[0]).toMatchObject({ status: '401', title: 'unauthorized' });
        else expect(answer.body).toEqual({ errors: ['Unauthorized'] });
      }
    },
  );

  it.each(['x-vault-token', 'x-service-token'])('the header %s is ignored', async (name) => {
    expect((await site.get(`${READ}/versions`, { token: null, headers: { [name]: 'manager-token' } })).status).toBe(
      401,
    );
  });

  it('the same 404, byte for byte, for what is missing and for what is not the caller’s', async () => {
    const paths = [
      ['/1.0.0', STRANGER],
      ['/1.0.0', READER],
      ['/9.9.9', 'manager-token'],
      ['/9.9.9', STRANGER],
      ['/no-version', 'manager-token'],
    ] as const;
    const bodies = [DEPRECATE, REVERT, REVOKE, { deprecation: 7 }];
    const seen = new Set<string>();
    for (const [version, token] of paths) {
      for (const attributes of bodies) {
        const answer = await site.send('PATCH', `${MANAGED}${version}`, {
          token,
          body: { data: { type: 'module-versions', attributes } },
        });
        expect(answer.status).toBe(404);
        checkJsonApi(answer.body);
        seen.add(answer.text);
      }
    }
    for (const organization of ['other', 'nobody']) {
      const path = `/api/v2/organizations/${organization}/registry-modules/private/acme/network/aws/1.0.0`;
      seen.add(
        (await site.send('PATCH', path, { body: { data: { type: 'module-versions', attributes: DEPRECATE } } })).text,
      );
    }
    expect(seen.size).toBe(1);
    const reads = await Promise.all([
      site.get(`${READ}/1.0.0`, { token: STRANGER }),
      site.get(`${READ}/9.9.9`, { token: STRANGER }),
      site.get(`${READ}/9.9.9`),
    ]);
    expect(new Set(reads.map(({ text }) => text))).toEqual(new Set(['{"errors":["Not Found"]}']));
  });
});
