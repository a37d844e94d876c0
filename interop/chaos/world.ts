/** Three servers on one storage, each over a link of its own, the simulated AWS, and disks that can be filled. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { IMAGE_ID, rootTokenIn } from '@postern/internal';
import { createFakeCloud, createModuleArchive, type FakeCloud } from '@postern/testkit';
import { freePort } from '../postgres/cluster.js';
import { createProxy, type NetworkProxy } from '../postgres/proxy.js';
import { describeInstances } from '../provider-trouble/trouble-site.js';
import { startTroubledService } from '../provider-trouble/troubled-service.js';
import { call } from './call.js';
import type { ChaosStorage, OpenChaosStorage } from './chaos-storage.js';
import { type ChaosNode, createNode, untilReady } from './node.js';

const NODES = 3;
const START_MS = 60_000;
/** No code of a region that AWS has: its certificate is registered. */
const REGION = 'eu-south-9';
/** Roles of logins, and the lifetime of their tokens. */
const TTL_SECONDS = { web: 90, brief: 12, deploy: 60 } as const;
export const VERSIONS = ['1.0.0', '1.1.0', '2.0.0'] as const;
const MODULE = 'api/v2/organizations/acme/registry-modules/private/acme/net/aws';
export const versionPath = (version: string) => `${MODULE}/${version}`;
const MOUNT = 'v1/auth/cloud';

export interface World {
  readonly nodes: readonly ChaosNode[];
  readonly links: readonly NetworkProxy[];
  readonly storage: ChaosStorage;
  readonly cloud: FakeCloud;
  readonly rootToken: string;
  readonly folder: string;
  close(options: { readonly keep: boolean }): Promise<void>;
}

export async function createWorld(openStorage: OpenChaosStorage): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-chaos-'));
  // PostgreSQL runs as another user, and must reach its disk.
  chmodSync(folder, 0o711);
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.reverse()) await closer();
  };
  try {
    const { cloud, endpoints, close: closeAws } = await startAws();
    closers.push(closeAws);
    const storage = await openStorage(folder);
    closers.push(storage.remove);
    const links: NetworkProxy[] = [];
    const nodes: ChaosNode[] = [];
    for (let at = 0; at < NODES; at += 1) {
      const link = await createProxy(storage.port);
      closers.push(() => link.close());
      const config = configOf(storage.configOf(link.port));
      const { environment } = storage;
      const node = createNode({ folder, name: `node-${at}`, port: await freePort(), config, environment });
      closers.push(node.auditDisk.unmount, () => node.kill());
      links.push(link);
      nodes.push(node);
    }
    // The first makes the key file that all share.
    nodes[0]?.start();
    await untilReady(nodes.slice(0, 1), START_MS);
    for (const node of nodes.slice(1)) node.start();
    await untilReady(nodes, START_MS);
    const world = { nodes, links, storage, cloud, rootToken: await rootTokenOf(nodes[0]), folder };
    await prepare(world, endpoints);
    return {
      ...world,
      async close({ keep }) {
        await close();
        if (!keep) rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await close();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function configOf(storage: object) {
  const rate = { perSecond: 1_000, burst: 5_000 };
  return {
    storage,
    sealing: { keyFile: './postern.key' },
    // Entries expire so long after the last login: tidying finds some.
    tokens: { defaultTtlSeconds: 60, maxTtlSeconds: 100 },
    loginRate: rate,
    peerRate: rate,
    tokenRate: rate,
    registry: { archives: './archives', rate },
  };
}

async function rootTokenOf(node: ChaosNode | undefined): Promise<string> {
  for (;;) {
    const token = rootTokenIn(node?.stderr() ?? '');
    if (token !== undefined) return token;
    await sleep(20);
  }
}

/** STS and EC2 on loopback. */
async function startAws() {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() }, region: REGION });
  const sts = await cloud.sts.listen();
  const ec2 = await startTroubledService((request) => describeInstances(cloud, request), {
    status: 503,
    contentType: 'text/xml',
    body: '',
  });
  const ownKey = cloud.sts.issueAccessKey(cloud.createUser({ name: 'postern' }));
  const endpoints = {
    access_key: ownKey.accessKeyId,
    secret_key: ownKey.secretAccessKey,
    endpoint: ec2.url,
    sts_endpoint: sts.url,
  };
  return { cloud, endpoints, close: () => Promise.all([sts.close(), ec2.close()]) };
}

/** Credentials of the simulated AWS, its certificate, the roles of the logins, and versions of a module. */
async function prepare({ nodes, cloud, rootToken }: Omit<World, 'close'>, endpoints: object): Promise<void> {
  const [node] = nodes;
  if (node === undefined) throw new Error('there is no node');
  const write = async (path: string, fields: object) => {
    const { status, text } = await call(node.url, { method: 'POST', path, token: rootToken, body: fields });
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  };
  await write(`${MOUNT}/config/client`, endpoints);
  const pem = cloud.certificates().pkcs7Rsa2048;
  const certificate = { type: 'pkcs7', cloud_public_cert: Buffer.from(pem).toString('base64') };
  await write(`${MOUNT}/config/certificate/chaos`, certificate);
  for (const role of ['web', 'brief'] as const) await writeRole(write, role, { bound_ami_id: [IMAGE_ID] });
  const principal = cloud.createRole({ name: 'deploy' });
  await writeRole(write, 'deploy', {
    auth_type: 'iam',
    bound_iam_principal_arn: principal.arn,
    resolve_cloud_unique_ids: false,
  });
  for (const version of VERSIONS) {
    const archive = createModuleArchive({ 'main.tf': `variable "v${version}" {}\n` });
    const put = { method: 'PUT', path: versionPath(version), token: rootToken, archive } as const;
    const { status, text } = await call(node.url, put);
    if (status !== 201) throw new Error(`version ${version}: ${status} ${text}`);
  }
}

function writeRole(
  write: (path: string, fields: object) => Promise<void>,
  name: keyof typeof TTL_SECONDS,
  fields: object,
) {
  return write(`${MOUNT}/role/${name}`, { auth_type: 'ec2', token_ttl: TTL_SECONDS[name], ...fields });
}
