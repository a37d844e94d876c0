/** Stands for the cloud and the server that the worker would find: an instance with its metadata service, and a Postern. */
import { createServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, startFakeImds } from '@postern/testkit';

export async function openStage() {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const instance = cloud.launchInstance();
  const metadata = await startFakeImds(instance);
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
  });
  await server.method.handleAsHost({
    operation: 'role.write',
    params: { role: 'web' },
    fields: { auth_type: 'ec2', bound_ami_id: instance.imageId, token_policies: 'web', token_ttl: '3s' },
    requestId: 'stage',
    peerAddress: undefined,
  });
  return {
    url: server.url,
    metadata: metadata.url,
    instance,
    close: () => Promise.all([server.close(), metadata.close()]),
  };
}
