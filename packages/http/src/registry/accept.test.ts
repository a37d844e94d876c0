/** What clients ask for: JSON:API as it is, or anything that does not name another form of it (JSON:API 1.0, REGAPI-12). */
import { describe, expect, it } from 'vitest';
import { checkJsonApi } from '../../test/registry/json-api-schema.js';
import { DEPRECATE, JSON_API, openRegistrySite, READ } from '../../test/registry/registry-site.js';

describe('a client that accepts', () => {
  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'text/html',
    JSON_API,
    `${JSON_API};q=0.9`,
    `${JSON_API}; charset=utf-8`,
    `${JSON_API}; profile="https://example.com/p"`,
    `${JSON_API};ext=bulk, ${JSON_API}`,
    `APPLICATION/VND.API+JSON, ${JSON_API};version=1`,
  ])('%s is answered', async (accept) => {
    const site = openRegistrySite();
    const { status, headers } = await site.patch(DEPRECATE, accept === undefined ? {} : { headers: { accept } });
    expect([status, headers.get('content-type')]).toEqual([200, JSON_API]);
  });

  it.each([`${JSON_API};version=1`, `${JSON_API}; ext=bulk; q=1`, `*/*, ${JSON_API};a=b, ${JSON_API} ; c=d`])(
    '%s is 406, and nothing is changed',
    async (accept) => {
      const site = openRegistrySite();
      const { status, headers, body } = await site.patch(DEPRECATE, { headers: { accept } });
      expect([status, headers.get('content-type')]).toEqual([406, JSON_API]);
      checkJsonApi(body);
      expect(body.errors).toEqual([{ status: '406', title: 'not acceptable', detail: expect.any(String) }]);
      expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toBeNull();
      expect((await site.get(`${READ}/1.0.0`, { headers: { accept } })).status).toBe(200);
    },
  );
});
