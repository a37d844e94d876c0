/** The whole server as `postern serve` runs it: SQLite and audit log on disk, over HTTP. */
import { join } from 'node:path';
import { createServer, openAuditFile } from '@postern/server';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { serveReports } from './child-report.js';

export interface PosternInput {
  readonly folder: string;
  readonly imageId: string;
  readonly role: string;
  readonly certificates: readonly { readonly pem: string; readonly type: 'pkcs7' | 'identity' }[];
}

export async function runPostern({ folder, imageId, role, certificates }: PosternInput): Promise<void> {
  const storage = await openSqliteStorage({ file: join(folder, 'postern.db') });
  const audit = await openAuditFile(join(folder, 'audit.log'));
  const server = await createServer({
    storage,
    audit,
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
        tags: new Map(),
      }),
      rolesOfProfile: async () => undefined,
      describePrincipal: async () => undefined,
      builtInCertificates: certificates,
    },
  });
  await server.method.handleAsHost({
    operation: 'role.write',
    params: { role },
    fields: { auth_type: 'ec2', bound_ami_id: imageId },
    requestId: 'bench',
    peerAddress: undefined,
  });
  serveReports(Number(new URL(server.url).port), async () => {
    await server.close();
    await storage.close();
    await audit.close();
  });
}
