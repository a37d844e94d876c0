/** O1, the restore drill: backup under load, logins, kill -9, restore, start; and what must stop a restore. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSite, LOGIN_PATH, type ServingPostern, servePostern, startPostern } from '@postern/internal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scaled } from '../scale.js';

const LOGINS = scaled(5_000);
const CLIENTS = 16;
const ROLE = 'drill';

const site = createSite({ loginRate: false });
let server: ServingPostern;
beforeAll(async () => {
  server = await servePostern(site.configFile);
});
afterAll(async () => {
  server.signal('SIGKILL');
  await server.ended;
  site.remove();
});

async function run(...args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const command = startPostern([...args]);
  return { code: await command.ended, stderr: command.stderr() };
}

async function logIn(count: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  let left = count;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (left > 0) {
        left -= 1;
        const body = JSON.stringify({ role: ROLE, pkcs7: site.newDocument().pkcs7 });
        const response = await fetch(server.url + LOGIN_PATH, { method: 'POST', body });
        const answer = await response.json();
        if (response.status === 200) tokens.push(answer.auth.client_token);
      }
    }),
  );
  return tokens;
}

async function statusesOf(tokens: readonly string[]): Promise<Readonly<Record<number, number>>> {
  const seen: Record<number, number> = {};
  const left = [...tokens];
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let token = left.pop(); token !== undefined; token = left.pop()) {
        const headers = { 'x-service-token': token };
        const response = await fetch(`${server.url}/v1/auth/token/lookup-self`, { headers });
        await response.text();
        seen[response.status] = (seen[response.status] ?? 0) + 1;
      }
    }),
  );
  return seen;
}

it('brings the state of the backup back, whole, with nothing of later', async () => {
  await site.writeRole(server.url, server.rootToken ?? '', ROLE);
  const before = await logIn(500);
  const backup = join(site.folder, 'drill.backup');
  const under = logIn(500);
  const backedUp = await run('backup', '--config', site.configFile, backup);
  await under;
  expect(backedUp).toMatchObject({ code: 0 });
  const after = await logIn(LOGINS);
  expect(after).toHaveLength(LOGINS);
  const restoring = ['restore', '--config', site.configFile, backup, '--replace'];
  const live = await run(...restoring);
  expect(live).toMatchObject({ code: 1 });
  expect(live.stderr).toContain('in use');

  server.signal('SIGKILL');
  await server.ended;
  expect(
    existsSync(join(site.folder, 'postern-data', 'postern.db-wal')) || existsSync(join(site.folder, 'postern.db-wal')),
  ).toBe(true);
  expect(await run(...restoring)).toMatchObject({ code: 0 });
  server = await servePostern(site.configFile);
  expect(server.rootToken).toBeUndefined();
  const health = await fetch(`${server.url}/v1/sys/health?ready`);
  expect(health.status).toBe(200);
  expect(await statusesOf(before)).toEqual({ 200: before.length });
  // Some of them: a peer with many unknown tokens is limited.
  expect(await statusesOf(after.slice(0, 200))).toEqual({ 403: 200 });
  expect(await logIn(200)).toHaveLength(200);
}, 300_000);
