/** The configuration and the provider of this folder under the real `postern serve`, with a cloud to sign documents. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServingPostern, servePostern } from '@postern/internal';
import { createFakeCloud } from '@postern/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'postern-own-provider-'));
const inventoryFile = join(folder, 'inventory.json');

const cloud = createFakeCloud({ clock: { now: () => Date.now() }, ownAccountId: '123456789012' });
const [listed] = JSON.parse(readFileSync(here('./inventory.json'), 'utf8')) as [{ id: string; image: string }];
const instance = cloud.launchInstance({ instanceId: listed.id, imageId: listed.image });

let server: ServingPostern;

beforeAll(async () => {
  const config = JSON.parse(readFileSync(here('./postern.json'), 'utf8'));
  config.listen.port = 0;
  config.provider.module = here('./provider.mjs');
  config.provider.options.certificates = './certificates.json';
  config.storage.file = './postern.db';
  config.audit.file = './audit.log';
  writeFileSync(join(folder, 'postern.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'certificates.json'), JSON.stringify(cloud.defaultCertificates()));
  copyFileSync(here('./inventory.json'), inventoryFile);
  server = await servePostern(join(folder, 'postern.json'));
  const role = { auth_type: 'ec2', bound_ami_id: listed.image, token_policies: 'operator' };
  expect(await send('role/machines', role, server.rootToken)).toEqual({ status: 204, code: undefined });
  return async () => {
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  };
});
afterEach(() => copyFileSync(here('./inventory.json'), inventoryFile));
afterAll(() => rmSync(folder, { recursive: true }));

async function send(path: string, body: object, token?: string) {
  const response = await fetch(`${server.url}/v1/auth/cloud/${path}`, {
    method: 'POST',
    headers: token === undefined ? {} : { 'x-service-token': token },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { code, auth } = text === '' ? {} : JSON.parse(text);
  return { status: response.status, code, ...(auth ? { auth } : {}) };
}

const login = () =>
  send('login', { role: 'machines', pkcs7: instance.identityDocument().rsa2048, nonce: 'the same each time' });

describe('a provider of one’s own', () => {
  it('lets a machine of the inventory in, with the policies of the configuration', async () => {
    const { status, auth } = await login();
    expect(status).toBe(200);
    const read = await fetch(`${server.url}/v1/auth/cloud/role/machines`, {
      headers: { 'x-service-token': auth.client_token },
    });
    expect(read.status).toBe(200);
    const write = await send('config/client', { max_retries: 1 }, auth.client_token);
    expect(write).toEqual({ status: 403, code: 'permission_denied' });
  });

  it.each<[string, object[], string]>([
    ['that is not in the inventory', [], 'instance_not_found'],
    ['that stands in another region', [{ ...listed, region: 'eu-west-1' }], 'instance_not_found'],
    ['that is stopped', [{ ...listed, state: 'stopped' }], 'instance_not_running'],
    ['of another image', [{ ...listed, image: 'ami-other' }], 'bound_ami_id_mismatch'],
  ])('refuses a machine %s', async (_name, machines, code) => {
    writeFileSync(inventoryFile, JSON.stringify(machines));
    expect(await login()).toEqual({ status: 400, code });
  });

  it('says "try again", not "no", while the inventory cannot be read', async () => {
    rmSync(inventoryFile);
    expect(await login()).toEqual({ status: 503, code: 'provider_unavailable' });
  });
});
