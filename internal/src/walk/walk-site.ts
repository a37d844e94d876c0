/** The server that the counted calls go to: everything in memory, on a simulated cloud. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, hostedRegistry } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createModuleArchive } from '@postern/testkit';

const MOUNT = '/v1/auth/cloud';
const IMAGE_ID = 'ami-0123456789abcdef0';
const MODULE = 'acme/network/aws';
const MANAGE = `/api/v2/organizations/acme/registry-modules/private/${MODULE}/1.0.0`;

/** Makes ready what the call needs of its own (a new instance, another text) and returns the request, to be sent once. */
export type PreparedCall = () => Promise<() => Promise<void>>;

export interface WalkSite {
  readonly calls: Readonly<Record<string, PreparedCall>>;
  close(): Promise<void>;
}

export async function startWalkSite(): Promise<WalkSite> {
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const { sts } = cloud;
  const storage = createMemoryStorage();
  const audit = { record: () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'postern-walk-'));
  const server = await createServer({
    storage,
    audit,
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
    registry: hostedRegistry({ storage, audit, archives: join(folder, 'archives'), isAlone: true }),
  });
  const token = await server.method.createRootToken();

  async function send(method: string, path: string, body?: BodyInit, type = 'application/json'): Promise<void> {
    const authorization = path.endsWith('/login') ? undefined : `Bearer ${token}`;
    const response = await fetch(server.url + path, {
      method,
      headers: { 'content-type': type, ...(authorization === undefined ? {} : { authorization }) },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  }
  const post = (path: string, body: object) => send('POST', `${MOUNT}/${path}`, JSON.stringify(body));

  const deployer = cloud.createRole({ name: 'deployer' });
  await post('role/web', { auth_type: 'ec2', bound_ami_id: [IMAGE_ID], token_policies: ['web'] });
  await post('role/deploy', { auth_type: 'iam', bound_iam_principal_arn: [deployer.arn], token_policies: ['deploy'] });
  const archive = createModuleArchive({
    'main.tf': 'variable "cidr" {}\n',
    'README.md': '# Network\n\nA network of its own for each environment.\n',
  });
  await send('PUT', MANAGE, Uint8Array.from(archive), 'application/gzip');

  let reasons = 0;
  return {
    calls: {
      'ec2 login': async () => {
        const instance = cloud.launchInstance({ imageId: IMAGE_ID });
        const pkcs7 = instance.identityDocument().rsa2048.replaceAll('\n', '');
        return () => post('login', { role: 'web', pkcs7 });
      },
      'iam login': async () => {
        const credentials = sts.assumeRole(deployer, { sessionName: 'build-42' });
        const signed = sts.signLogin({ credentials });
        return () => post('login', { role: 'deploy', ...signed });
      },
      'PATCH of a deprecation': async () => {
        reasons += 1;
        const deprecation = { 'deprecated-status': 'Deprecated', reason: `reason ${reasons}` };
        const document = { data: { type: 'module-versions', attributes: { deprecation } } };
        return () => send('PATCH', MANAGE, JSON.stringify(document), 'application/vnd.api+json');
      },
      'page of the registry': async () => () => send('GET', `/registry/${MODULE}/1.0.0`),
    },
    async close() {
      await server.close();
      await storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
