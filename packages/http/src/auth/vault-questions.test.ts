/** What Vault's clients ask of the server itself (WIRE-31). */
import { expect, it } from 'vitest';
import { openHttpSite } from '../../test/http-site.js';
import type { ProfileName } from './wire-profile.js';

it.each([
  ['seal-status', { type: 'none', initialized: true, sealed: false, t: 0, n: 0 }],
  ['init', { initialized: true }],
  ['leader', { ha_enabled: false, is_self: true }],
])('sys/%s answers without a token in the vault profile alone', async (path, expected) => {
  const vault = await openHttpSite('vault');
  const { status, body } = await vault.send('GET', `sys/${path}`, { token: '' });
  expect([status, body]).toEqual([200, expect.objectContaining(expected)]);
  const neutral = await openHttpSite('neutral');
  expect((await neutral.send('GET', `sys/${path}`)).status).toBe(404);
});

/** Not by `send`: the OpenAPI document says nothing of a question that every path answers. */
async function help(profile: ProfileName, path: string) {
  const site = await openHttpSite(profile);
  return site.fetch(new Request(`http://postern.test/v1/${site.mount(path)}?help=1`));
}

it('help on a path tells what each method is for, and does nothing', async () => {
  const response = await help('vault', 'role/x');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    help: expect.stringMatching(/^auth\/aws\/role\/x\n\n(?:.*\n)*read: Read a role/),
    see_also: [],
  });
  expect((await help('vault', 'nothing')).status).toBe(404);
  expect((await help('neutral', 'role/x')).status).toBe(403);
});

it('counts by the rate of open questions', async () => {
  const site = await openHttpSite('vault', { peerRate: { perSecond: 1, burst: 1 } });
  const ask = async (path: string) => (await site.fetch(new Request(`http://postern.test/v1/${path}`))).status;
  expect(await ask('sys/seal-status')).toBe(200);
  expect(await ask('sys/leader')).toBe(429);
  expect(await ask(`${site.mount('role/x')}?help=1`)).toBe(429);
});
