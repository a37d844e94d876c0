/**
 * Secrets of the registry, planted in every flow, sound and failing, appear nowhere but where they must be (ERROR-4, MODULE-5, PAGE-5):
 * tokens, signatures of archives' addresses, sessions and form secrets of the page, and the keys behind these.
 */
import { inspect } from 'node:util';
import { createModuleArchive } from '@postern/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headOf } from './over-http.js';
import { createSearch } from './planted.js';
import { createRegistryWorld, KEYS_AT, type RegistryWorld } from './registry-world.js';
import { capturePrinted, createSeen } from './seen.js';
import { STORAGE_TROUBLES } from './troubled.js';

const { look, leaks } = createSeen();
const statuses = new Set<number>();
let world: RegistryWorld;
let root: string;

const MODULE = 'acme/network/aws';
const READ = `/api/registry/v1/modules/${MODULE}`;
const MANAGE = `/api/v2/organizations/acme/registry-modules/private/${MODULE}`;
const PAGE = `/registry/${MODULE}`;
const ARCHIVE = Uint8Array.from(createModuleArchive({ 'main.tf': 'variable "cidr" {}\n' }));

interface Sent extends RequestInit {
  readonly tells?: readonly string[];
}

/** What an answer tells for the first time, a signature or a session, is a secret from then on. */
const TOLD = [
  ['signature', /[?&]signature=([\w-]{43})/],
  ['session', /postern-session=([\w-]{40,})/],
  ['form secret', /name="form_secret" value="([\w-]{16,})"/],
] as const;

async function send(path: string, { tells = [], ...init }: Sent = {}): Promise<string> {
  const response = await fetch(new URL(path, world.server.url), { redirect: 'manual', ...init });
  statuses.add(response.status);
  const text = headOf(response) + (await response.text());
  for (const [name, pattern] of TOLD) {
    const told = pattern.exec(text)?.[1];
    if (told !== undefined) world.secret(`${name} ${world.secrets.size}`, told);
  }
  look(
    `${response.status} to ${init.method ?? 'GET'} ${path.split('?')[0]}`,
    text,
    response.status < 400 || tells.includes('form secret') ? tells : [],
  );
  return text;
}

const bearer = (token = root) => ({ authorization: `Bearer ${token}` });

function command(method: string, path: string, body: unknown, token = root): Promise<string> {
  const headers = { ...bearer(token), 'content-type': 'application/vnd.api+json' };
  return send(path, { method, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

const notice = (deprecation: unknown) => ({ data: { type: 'module-versions', attributes: { deprecation } } });

async function overTheApi(version: string, stranger: string): Promise<void> {
  const headers = { ...bearer(), 'content-type': 'application/gzip' };
  await send(`${MANAGE}/${version}`, { method: 'PUT', headers, body: ARCHIVE });
  await send(`${MANAGE}/${version}`, { method: 'PUT', headers, body: `not an archive ${root}` });
  for (const token of [root, stranger]) {
    for (const path of [`${READ}/versions`, `${READ}/${version}`, `${MANAGE}/${version}`]) {
      await send(path, { headers: bearer(token) });
    }
  }
  const download = await send(`${READ}/${version}/download`, { headers: bearer(), tells: ['signature'] });
  const location = /x-terraform-get: (\S+)/.exec(download)?.[1];
  if (location !== undefined) {
    const archive = new URL(location, `${world.server.url}${READ}/${version}/`);
    await send(`${archive.pathname}${archive.search}`);
    await send(`${archive.pathname}${archive.search}x`);
    await send(`${archive.pathname}${archive.search.replace(/expires=\d+/, 'expires=1')}`);
  }
  const deprecated = { 'deprecated-status': 'Deprecated', reason: 'Open by default.' };
  await command('PATCH', `${MANAGE}/${version}`, notice(deprecated));
  await command('PATCH', `${MANAGE}/${version}`, notice(deprecated), stranger);
  await command('PATCH', `${MANAGE}/${version}`, notice({ ...deprecated, [root]: root }));
  await command('PATCH', `${MANAGE}/${version}`, notice({ 'deprecated-status': root }));
  await command('PATCH', `${MANAGE}/${version}`, `{"data": "${root}`);
  await command('PATCH', `${MANAGE}/${version}`, notice({ 'deprecated-status': 'Undeprecated' }));
  for (const path of [
    `${READ}/${root}`,
    `/api/registry/v1/modules/${root}`,
    `${READ}/${root}.a`,
    `${MANAGE}/${root}`,
  ]) {
    for (const method of ['GET', 'PATCH', 'DELETE', 'PURGE']) await send(path, { method, headers: bearer(stranger) });
  }
}

async function onThePage(version: string, stranger: string): Promise<void> {
  const origin = world.server.url;
  const form = (path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>) =>
    send(path, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
      tells: 'cookie' in headers ? ['form secret'] : ['session'],
    });
  for (const token of [stranger, `${root}x`, root.repeat(200)]) {
    await form('/registry/-/sign-in', { token, next: PAGE }, { origin });
  }
  await form('/registry/-/sign-in', { token: root }, { origin: 'https://elsewhere.example' });
  const signedIn = await form('/registry/-/sign-in', { token: root, next: PAGE }, { origin });
  const cookie = /postern-session=[\w-]+/.exec(signedIn)?.[0] ?? '';
  const tells = ['form secret'];
  for (const path of ['/registry', PAGE, `${PAGE}/${version}`, `${PAGE}/9.9.9`]) {
    await send(path, { headers: { cookie }, tells });
    await send(path, { headers: { cookie: `${cookie}x` } });
  }
  const page = await send(`${PAGE}/${version}/deprecate`, { headers: { cookie }, tells });
  const fields = { form_secret: /name="form_secret" value="([\w-]+)"/.exec(page)?.[1] ?? '', reason: 'Old.' };
  await form(`${PAGE}/${version}/deprecate`, { ...fields, step: 'confirm' }, { origin, cookie });
  await form(`${PAGE}/${version}/deprecate`, { ...fields, step: 'confirm', form_secret: root }, { origin, cookie });
}

const DEEP = { depth: 12, showHidden: false, maxStringLength: null } as const;

beforeAll(async () => {
  const endCapture = capturePrinted();
  world = await createRegistryWorld();
  root = world.secret('token root', await world.server.method.createRootToken());
  const stranger = world.secret('token of nobody', 'postern-canary-token-of-nobody-0123456789');
  // In time of peace first: the troubles then meet what is there.
  for (const [at, trouble] of (['none', ...STORAGE_TROUBLES, 'none'] as const).entries()) {
    world.trouble(trouble);
    const before = world.struck();
    await overTheApi(`1.0.${at}`, stranger);
    await onThePage(`1.0.${trouble === 'none' ? at : 0}`, stranger);
    if (trouble !== 'none') expect([trouble, world.struck() > before]).toEqual([trouble, true]);
  }
  look('the server, inspected', inspect(world.server, DEEP));
  look('the audit file', world.auditText());
  look('the log', world.logLines.join(''));
  look('the standard output', endCapture());
}, 60_000);

afterAll(() => world.close());

describe('after every flow of the registry, in every trouble of its storage', () => {
  it('every class of answer was met, and every kind of secret planted', () => {
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 303, 401, 403, 404, 422, 503, 500]));
    const names = [...world.secrets.keys()].join('\n');
    for (const kind of [
      'token root',
      'token of nobody',
      'signature',
      'session',
      'form secret',
      'urlKey',
      'sessionKey',
    ]) {
      expect(names).toContain(kind);
    }
    expect(world.logLines.length).toBeGreaterThan(0);
    expect(world.auditText()).toContain('"outcome":"failed"');
  });

  it('no secret appears where it does not belong', () => {
    expect(leaks(world.secrets.values())).toEqual([]);
  });

  it('the storage holds the two keys in their one place, and no token, signature or session', async () => {
    const found = createSearch(world.secrets.values());
    const { items } = await world.storage.list('', { limit: 1000, values: true });
    const strays = items.flatMap(({ key, record }) =>
      found(`${key} ${record?.value ?? ''}`)
        .filter((name) => !(key === KEYS_AT && /^(urlKey|sessionKey)/.test(name)))
        .map((name) => `${key}: ${name}`),
    );
    expect(strays).toEqual([]);
    expect(items.some(({ key }) => key === KEYS_AT)).toBe(true);
  });
});
