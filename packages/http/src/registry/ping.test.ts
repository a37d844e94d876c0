/** The platform's client asks for the rate before anything else, and holds itself to it (REGAPI-10). */
import { describe, expect, it } from 'vitest';
import { openRegistrySite } from '../../test/registry/registry-site.js';

const PING = '/api/v2/ping';

describe('a ping', () => {
  it.each([
    [{ perSecond: 12 }, '12'],
    [undefined, null],
  ])('with the rate %j tells %j, to any caller', async (rate, told) => {
    const site = openRegistrySite(rate === undefined ? {} : { app: { rate } });
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await site.send(method, PING, { token: null });
      expect([status, headers.get('x-ratelimit-limit'), text]).toEqual([204, told, '']);
    }
  });

  it('does not count against the rate', async () => {
    const site = openRegistrySite({ app: { rate: { perSecond: 1 } } });
    for (let time = 0; time < 5; time += 1) expect((await site.send('GET', PING)).status).toBe(204);
  });

  it('answers to reads alone', async () => {
    const { status, headers, body } = await openRegistrySite().send('POST', PING, {});
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(body).toMatchObject({ errors: [{ status: '405' }] });
  });
});
