/** The whole server as `postern serve` runs it: storage and audit log on disk, over HTTP, its rates counted. */
import { join } from 'node:path';
import type { Storage } from '@postern/ports';
import { createServer, openAuditFile } from '@postern/server';
import { openPostgresStorage, type PostgresStorageOptions } from '@postern/storage-postgres';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { serveReports } from './child-report.js';

export interface StorageInput {
  readonly folder: string;
  /** Default: SQLite in the folder. */
  readonly postgres?: PostgresStorageOptions;
}

export interface PosternInput extends StorageInput {
  readonly imageId: string;
  readonly certificates: readonly { readonly pem: string; readonly type: 'pkcs7' | 'identity' }[];
}

export const ROLE = 'bench';
/** Asks for a role tag, which every instance has. */
export const TAGGED_ROLE = 'tagged';
const TAG_KEY = 'Postern';

/** Counted as in production, and never reached. */
export const ENDLESS = { perSecond: 1e6, burst: 1e6 };

export function openStorage({ folder, postgres }: StorageInput): Promise<Storage> {
  return postgres === undefined
    ? openSqliteStorage({ file: join(folder, 'postern.db') })
    : openPostgresStorage(postgres);
}

export async function runPostern({ imageId, certificates, ...input }: PosternInput): Promise<void> {
  const storage = await openStorage(input);
  const audit = await openAuditFile(join(input.folder, 'audit.log'));
  const tags = new Map<string, string>();
  const server = await createServer({
    storage,
    audit,
    loginRate: ENDLESS,
    peerRate: ENDLESS,
    tokenRate: ENDLESS,
    provider: {
      describeInstance: async ({ instanceId, accountId, region }) => ({
        instanceId,
        accountId,
        region,
        state: 'running',
        imageId,
        vpcId: undefined,
        subnetId: undefined,
        instanceProfileArn: undefined,
        tags,
      }),
      rolesOfProfile: async () => undefined,
      describePrincipal: async () => undefined,
      builtInCertificates: certificates,
    },
  });
  const { roles } = server.method;
  await roles.write(ROLE, { auth_type: 'ec2', bound_ami_id: imageId });
  await roles.write(TAGGED_ROLE, {
    auth_type: 'ec2',
    bound_ami_id: imageId,
    role_tag: TAG_KEY,
    token_policies: ['web'],
  });
  const { data } = await server.method.call('role.tag', { role: TAGGED_ROLE }, { policies: ['web'] });
  tags.set(TAG_KEY, data.tag_value);
  serveReports(Number(new URL(server.url).port), async () => {
    await server.close();
    await storage.close();
    await audit.close();
  });
}
