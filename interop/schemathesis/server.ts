/** A server on memory storage with something in every store, for a client that makes up its requests. */
import { createKeyWrapper } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createServer, type PosternServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';

export interface ExercisedServer {
  readonly url: string;
  readonly rootToken: string;
  /** Calls that reached an operation, by operation id: one audit event each (AUDIT-1). */
  readonly operations: ReadonlyMap<string, number>;
  /** What the server logged: faults of ours. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

export async function startExercisedServer(profile: 'neutral' | 'vault'): Promise<ExercisedServer> {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() }, seed: 'schemathesis' });
  const operations = new Map<string, number>();
  const faults: string[] = [];
  const crypto = createNodeCrypto();
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: {
      record: ({ operation }) => {
        operations.set(operation, (operations.get(operation) ?? 0) + 1);
      },
    },
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
    profile,
    keyWrapper: createKeyWrapper(crypto, { id: 'schemathesis', key: crypto.bytes(32) }),
    log: (_level, message, facts) => faults.push(`${message} ${JSON.stringify(facts)}`),
  });
  const rootToken = await server.method.createRootToken();
  await fill(server, cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048);
  operations.clear();
  return { url: server.url, rootToken, operations, faults, close: () => server.close() };
}

/** One of each, under the names that are made up first. */
async function fill({ method }: PosternServer, pkcs7: string): Promise<void> {
  const call = (operation: string, fields: Readonly<Record<string, unknown>>, params: Record<string, string> = {}) =>
    method.handleAsHost({ operation, params, fields, requestId: operation, peerAddress: '127.0.0.1' });
  await call('role.write', { auth_type: 'ec2', bound_ami_id: 'ami-1' }, { role: '1' });
  await call('login', { role: '1', pkcs7 });
  await call('role.write', { auth_type: 'ec2', bound_ami_id: 'ami-1', role_tag: 'T' }, { role: '0' });
  const { data } = await call('role.tag', {}, { role: '0' });
  await call('deny-list.write', {}, { role_tag: String(data?.['tag_value']) });
  await call('config.client.write', { max_retries: 1 });
  await call('config.sts.write', { sts_role: 'arn:aws:iam::123456789012:role/r' }, { account_id: '123456789012' });
  await call('config.tidy.identity-accesslist.write', {});
}
