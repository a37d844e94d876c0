/** O5: a full disk, a read-only file system and a damaged file, under a real server: seen within five seconds, by name. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createSite, LOGIN_PATH, type ServingPostern, servePostern, startPostern } from '@postern/internal';
import { afterAll, beforeAll, expect, it } from 'vitest';

const WITHIN = { timeout: 5_000, interval: 100 };
const site = createSite({ storage: { file: './disk/postern.db' } });
const disk = join(site.folder, 'disk');
const database = join(disk, 'postern.db');
let server: ServingPostern;
let rootToken = '';

const mount = (...options: readonly string[]) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', ...options, 'tmpfs', disk]);

beforeAll(async () => {
  mkdirSync(disk, { mode: 0o700 });
  mount('size=8m,mode=700');
  server = await servePostern(site.configFile);
  rootToken = server.rootToken ?? '';
  await site.writeRole(server.url, rootToken, 'web');
});
afterAll(async () => {
  server.signal('SIGKILL');
  await server.ended;
  execFileSync('umount', ['-l', disk]);
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
  const filler = openSync(join(disk, 'filler'), 'w');
  try {
    for (const size of [65_536, 4_096, 512, 1]) {
      for (;;) writeSync(filler, Buffer.alloc(size));
    }
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
  closeSync(filler);
  // Pages of the log that were written before are written again: the log must grow for the disk to show.
  await expect
    .poll(() => logIn().then(() => ready().then(({ code }) => code)), { timeout: 20_000, interval: 5 })
    .toBe('storage_full');
  await expect.poll(() => ready('/v1/sys/health'), WITHIN).toMatchObject({ status: 503, code: 'storage_full' });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect(server.stderr()).toContain('"code":"storage_full"');
  expect(await logIn()).toBe(503);
  rmSync(join(disk, 'filler'));
  await expect.poll(ready, WITHIN).toEqual({ status: 200, ready: true, code: undefined });
  expect(await logIn()).toBe(200);
  expect(server.stderr()).toContain('ready again');
}, 60_000);

it('a read-only file system: the start ends, or is not ready, with the reason', async () => {
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const started = startPostern(['serve', '--config', site.configFile]);
  const ended = await Promise.race([started.ended, new Promise((resolve) => setTimeout(resolve, 5_000, 'serving'))]);
  const said = started.stderr();
  started.signal('SIGKILL');
  await started.ended;
  execFileSync('mount', ['-o', 'remount,rw', disk]);
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
