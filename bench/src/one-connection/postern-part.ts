/** The whole server as `postern serve` runs it, with AWS for its provider: SQLite and audit log on disk, over HTTP. */
import { join } from 'node:path';
import { createProviderConfiguration } from '@postern/core-auth';
import { createAwsProvider } from '@postern/provider-aws';
import { createServer, openAuditFile } from '@postern/server';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { serveReports } from '../logins/child-report.js';
import { ENDLESS, type PosternInput, ROLE } from '../logins/postern-part.js';

export interface PosternOnCloudInput extends PosternInput {
  readonly cloudUrl: string;
}

export async function runPosternOnCloud(input: PosternOnCloudInput): Promise<void> {
  const { folder, imageId, certificates, cloudUrl } = input;
  const storage = await openSqliteStorage({ file: join(folder, 'postern.db') });
  const audit = await openAuditFile(join(folder, 'audit.log'));
  const aws = createAwsProvider({ configuration: createProviderConfiguration(storage), environment: {} });
  const server = await createServer({
    storage,
    audit,
    provider: { ...aws, builtInCertificates: certificates },
    loginRate: ENDLESS,
    peerRate: ENDLESS,
    tokenRate: ENDLESS,
  });
  await server.method.call(
    'config.client.write',
    {},
    { access_key: 'AKIABENCH', secret_key: 'of the benchmark', endpoint: cloudUrl, sts_endpoint: cloudUrl },
  );
  await server.method.roles.write(ROLE, { auth_type: 'ec2', bound_ami_id: imageId });
  serveReports(Number(new URL(server.url).port), async () => {
    await server.close();
    await aws.close();
    await storage.close();
    await audit.close();
  });
}
