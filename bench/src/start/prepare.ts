/** A database with a role to log in to, as an operator leaves it behind, and logins for it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from '@postern/server';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFakeCloud } from '@postern/testkit';
import { ceilingBodies } from '../logins/ceiling-bodies.js';

const IMAGE_ID = 'ami-0123456789abcdef0';
const ROLE = 'web';

export interface Prepared {
  /** Of `postern serve`. */
  readonly configFile: string;
  /** The same database file, for the bare server. */
  readonly database: string;
  readonly publicKey: string;
  /** The next body for each. */
  posternBody(): string;
  bareBody(): string;
}

/** What the loopback cloud has to know, before there is one. */
export function planCloud() {
  const fake = createFakeCloud({ clock: { now: () => Date.now() } });
  return { fake, input: { accountId: fake.ownAccountId, imageId: IMAGE_ID } };
}

export async function prepare(
  folder: string,
  { fake }: ReturnType<typeof planCloud>,
  cloudUrl: string,
): Promise<Prepared> {
  const database = join(folder, 'postern.db');
  const storage = await openSqliteStorage({ file: database });
  const server = await createServer({
    storage,
    audit: { record: () => undefined },
    provider: {
      describeInstance: async () => undefined,
      rolesOfProfile: async () => undefined,
      describePrincipal: async () => undefined,
    },
  });
  const { method } = server;
  await method.call(
    'config.client.write',
    {},
    { access_key: 'AKIABENCH', secret_key: 'of the benchmark', endpoint: cloudUrl, sts_endpoint: cloudUrl },
  );
  await method.roles.write(ROLE, { auth_type: 'ec2', bound_ami_id: IMAGE_ID });
  await method.call(
    'config.certificate.write',
    { cert_name: 'bench' },
    { cloud_public_cert: Buffer.from(fake.certificates().pkcs7Rsa2048).toString('base64'), type: 'pkcs7' },
  );
  await server.close();
  await storage.close();
  const configFile = join(folder, 'postern.json');
  writeFileSync(
    configFile,
    JSON.stringify({
      listen: { port: 0 },
      storage: { file: database },
      audit: { file: join(folder, 'audit.log') },
      sealing: 'none',
    }),
    { mode: 0o600 },
  );
  const posternBody = () => {
    const document = fake.launchInstance({ imageId: IMAGE_ID }).identityDocument();
    return JSON.stringify({ role: ROLE, pkcs7: document.rsa2048.replaceAll('\n', '') });
  };
  const bare = ceilingBodies(posternBody().length);
  return { configFile, database, publicKey: bare.publicKey, posternBody, bareBody: () => bare.take(1)[0] ?? '' };
}
