/** The registry as the server serves it: SQLite and audit log on disk, a catalogue in memory, over HTTP. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createRegistry } from '@postern/core-registry';
import { createUrlSigner } from '@postern/http';
import { createServer, openAuditFile } from '@postern/server';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFixedRegistryAuthorizer, createMemoryCatalogue } from '@postern/testkit';
import { serveReports } from '../logins/child-report.js';

export interface PosternInput {
  readonly folder: string;
  readonly token: string;
  readonly versions: readonly string[];
}

export const MODULE = { namespace: 'acme', name: 'network', provider: 'aws' } as const;

/** About what a real module requires, so that the list is as long as a real one. */
const ROOT = {
  path: '',
  name: 'network',
  readme: '',
  empty: false,
  inputs: [],
  outputs: [],
  resources: [],
  dependencies: [],
  providerDependencies: [{ name: 'aws', namespace: 'hashicorp', source: 'hashicorp/aws', version: '>= 5.0' }],
};

export async function runPostern({ folder, token, versions }: PosternInput): Promise<void> {
  const storage = await openSqliteStorage({ file: join(folder, 'registry.db') });
  const audit = await openAuditFile(join(folder, 'registry-audit.log'));
  const registry = createRegistry({
    storage,
    audit,
    clock: { now: () => Date.now() },
    authorizer: createFixedRegistryAuthorizer([{ token, name: 'bench', manage: ['acme'] }]),
    catalogue: createMemoryCatalogue(versions.map((version) => ({ address: { ...MODULE, version }, root: ROOT }))),
  });
  const server = await createServer({
    storage,
    audit,
    registry: { registry, urlSigner: createUrlSigner([randomBytes(32)]) },
    provider: {
      describeInstance: async () => undefined,
      rolesOfProfile: async () => undefined,
      describePrincipal: async () => undefined,
      builtInCertificates: [],
    },
  });
  serveReports(Number(new URL(server.url).port), async () => {
    await server.close();
    await storage.close();
    await audit.close();
  });
}
