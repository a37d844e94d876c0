/** How the two lists are swept, and sweeping by hand (TIDY-1, TIDY-3, WIRE-8). */
import { expect } from 'vitest';
import type { HttpSite } from '../http-site.js';
import { done, type EndpointCase, type EndpointRow } from './endpoint-row.js';

const NO_DURATION: EndpointCase = {
  name: 'a buffer that is no duration',
  given: () => ({ body: { safety_buffer: 'for ever' } }),
  status: 400,
  code: 'field_invalid',
};

function settingsRows(path: string): readonly EndpointRow[] {
  const below = path.slice(1);
  const written = async (site: HttpSite) => {
    await done(site.ask('POST', below, { safety_buffer: '10m', disable_periodic_tidy: true }));
    return {};
  };
  const data = { safety_buffer: 600, disable_periodic_tidy: true };
  return [
    {
      verb: 'POST',
      path,
      successes: [
        {
          name: 'stores the settings, the rest by default',
          given: () => ({ body: { disable_periodic_tidy: true } }),
          status: 204,
          effect: async (site) =>
            expect((await site.ask('GET', below)).body?.['data']).toEqual({ ...data, safety_buffer: 259_200 }),
        },
      ],
      refusals: [NO_DURATION],
    },
    {
      verb: 'GET',
      path,
      successes: [{ name: 'tells them, the buffer in seconds', given: written, status: 200, envelope: { data } }],
      refusals: [{ name: 'never written', status: 404 }],
    },
    {
      verb: 'DELETE',
      path,
      successes: [
        {
          name: 'are forgotten',
          given: written,
          status: 204,
          effect: async (site) => expect((await site.ask('GET', below)).status).toBe(404),
        },
        { name: 'were never there', status: 204 },
      ],
      refusals: [],
    },
  ];
}

function sweepRow(path: string): EndpointRow {
  const warnings = [expect.stringMatching(/\S/)];
  return {
    verb: 'POST',
    path,
    successes: [
      {
        name: 'is started and goes on in the background',
        given: () => ({ body: { safety_buffer: '1h' } }),
        status: 202,
        envelope: { warnings },
        effect: async (site) => {
          await site.method.settled();
          const { body } = await site.ask('GET', 'tidy/status');
          expect(body?.['data']).toMatchObject({
            [path.slice('/tidy/'.length)]: { running: false, safety_buffer: 3600 },
          });
        },
      },
      {
        name: 'is not started while one runs',
        given: (site) => {
          // Not waited for: its answer comes with the run under way.
          void site.ask('POST', path.slice(1));
          return {};
        },
        status: 200,
        envelope: { warnings },
      },
    ],
    refusals: [NO_DURATION],
  };
}

export const TIDY_ROWS: readonly EndpointRow[] = [
  ...settingsRows('/config/tidy/identity-accesslist'),
  ...settingsRows('/config/tidy/roletag-denylist'),
  sweepRow('/tidy/roletag-denylist'),
  sweepRow('/tidy/identity-accesslist'),
];
