/** A real server with a fake cloud behind it, an instance in that cloud, and the metadata service of that instance. */
import { createServer, type PosternServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import {
  createFakeCloud,
  type FakeCloud,
  type FakeImds,
  type FakeInstance,
  type FakeSts,
  startFakeImds,
} from '@postern/testkit';
import { type ClientOptions, collectInstanceEvidence, createPosternClient, type PosternClient } from '../src/index.js';
import type { ProfileName } from '../src/wire-profile.js';

export interface LoginSite {
  readonly server: PosternServer;
  readonly cloud: FakeCloud;
  readonly sts: FakeSts;
  readonly instance: FakeInstance;
  readonly imds: FakeImds;
  readonly root: string;
  /** Of the server, tests' own options over it. */
  client(options?: Partial<ClientOptions>): PosternClient;
  evidence(): ReturnType<typeof collectInstanceEvidence>;
  /** A write as the operator. */
  manage(path: string, body: object, method?: string): Promise<void>;
  close(): Promise<void>;
}

/** The role `web` lets the instance in; tokens live an hour and are renewed to two. */
export async function openLoginSite(profile: ProfileName = 'neutral'): Promise<LoginSite> {
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const { sts } = cloud;
  const instance = cloud.launchInstance();
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    profile,
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
  });
  const imds = await startFakeImds(instance);
  const root = await server.method.createRootToken();
  const manage = async (path: string, body: object, method = 'POST') => {
    const response = await fetch(`${server.url}/v1/auth/${profile === 'vault' ? 'aws' : 'cloud'}/${path}`, {
      method,
      headers: { authorization: `Bearer ${root}` },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  await manage('role/web', {
    auth_type: 'ec2',
    bound_ami_id: instance.imageId,
    token_policies: 'web',
    token_ttl: '1h',
    token_max_ttl: '2h',
  });
  return {
    server,
    cloud,
    sts,
    instance,
    imds,
    root,
    manage,
    client: (options = {}) =>
      createPosternClient({ url: server.url, profile, sleep: async () => undefined, ...options }),
    evidence: () => collectInstanceEvidence({ endpoint: imds.url }),
    close: async () => {
      await Promise.all([server.close(200), imds.close()]);
    },
  };
}
