/** O5: a full disk, a read-only file system and a damaged file, under a real server: seen within five seconds, by name. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSite, LOGIN_PATH, type ServingPostern, servePostern, startPostern } from '@postern/internal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Disk, mountDisk } from '../disk.js';

const WITHIN = { timeout: 5_000, interval: 100 };
const site = createSite({ storage: { file: './disk/postern.db' } });
const database = join(site.folder, 'disk', 'postern.db');
let disk: Disk;
let server: ServingPostern;
let rootToken = '';

beforeAll(async () => {
  disk = mountDisk(join(site.folder, 'disk'), '8m');
  server = await servePostern(site.configFile);
  rootToken = server.rootToken ?? '';
  await site.writeRole(server.url, rootToken, 'web');
});
afterAll(async () => {
  server.signal('SIGKILL');
  await server.ended;
  disk.unmount();
  site.remove();
});

async function logIn(): Promise<number> {
  const body = JSON.stringify({ role: 'web', pkcs7: site.newDocument().pkcs7 });
  const response = await fetch(server.url + LOGIN_PATH, { method: 'POST', body });
  await response.text();
  return response.status;
}

async function ready(path = '/readyz') {
  const response = await fetch(server.url + path);
  const { ready: isReady, code } = await response.json();
  return { status: response.status, ready: isReady, code };
}

it('a full disk: not ready with its code, live, nothing lost, and ready again once there is room', async () => {
  expect(await logIn()).toBe(200);
  disk.fill();
  // Pages of the log that were written before are written again: the log must grow for the disk to show.
  await expect
    .poll(() => logIn().then(() => ready().then(({ code }) => code)), { timeout: 20_000, interval: 5 })
    .toBe('storage_full');
  await expect.poll(() => ready('/v1/sys/health'), WITHIN).toMatchObject({ status: 503, code: 'storage_full' });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect(server.stderr()).toContain('"code":"storage_full"');
  expect(await logIn()).toBe(503);
  disk.free();
  await expect.poll(ready, WITHIN).toEqual({ status: 200, ready: true, code: undefined });
  expect(await logIn()).toBe(200);
  expect(server.stderr()).toContain('ready again');
}, 60_000);

it('a read-only file system: the start ends, or is not ready, with the reason', async () => {
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  execFileSync('mount', ['-o', 'remount,ro', disk.folder]);
  const started = startPostern(['serve', '--config', site.configFile]);
  const ended = await Promise.race([started.ended, new Promise((resolve) => setTimeout(resolve, 5_000, 'serving'))]);
  const said = started.stderr();
  started.signal('SIGKILL');
  await started.ended;
  execFileSync('mount', ['-o', 'remount,rw', disk.folder]);
  expect(ended === 1 ? /cannot open the database/i.test(said) : said.includes('storage_read_only')).toBe(true);
  server = await servePostern(site.configFile);
  expect(await ready()).toMatchObject({ status: 200, ready: true });
}, 30_000);

it('a damaged file: the start ends, and says to restore', async () => {
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  const whole = readFileSync(database);
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, 4_096 * 3, 4_096 * 8);
  writeFileSync(database, damaged);
  const started = startPostern(['serve', '--config', site.configFile]);
  expect(await started.ended).toBe(1);
  expect(started.stderr()).toMatch(/damaged.*[Rr]estore/);
  writeFileSync(database, whole);
  server = await servePostern(site.configFile);
  expect(await logIn()).toBe(200);
}, 30_000);
