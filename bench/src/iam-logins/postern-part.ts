/** The whole server as `postern serve` runs it, with AWS for its provider: storage and audit log on disk, over HTTP. */
import { join } from 'node:path';
import { createProviderConfiguration } from '@postern/core-auth';
import { createAwsProvider } from '@postern/provider-aws';
import { createServer, openAuditFile } from '@postern/server';
import { serveReports } from '../logins/child-report.js';
import { ENDLESS, openStorage, type StorageInput } from '../logins/postern-part.js';

export interface IamPosternInput extends StorageInput {
  readonly stsUrl: string;
  readonly role: string;
  /** Bound without looking its unique ID up, so that a login asks STS alone. */
  readonly principalArn: string;
}

export async function runIamPostern({ stsUrl, role, principalArn, ...input }: IamPosternInput): Promise<void> {
  const storage = await openStorage(input);
  const audit = await openAuditFile(join(input.folder, 'audit.log'));
  const aws = createAwsProvider({
    configuration: createProviderConfiguration(storage),
    environment: {},
    clock: { now: () => Date.now() },
  });
  const provider = { ...aws, onProviderConfigChange: () => aws.onProviderConfigChange() };
  const rates = { loginRate: ENDLESS, peerRate: ENDLESS, tokenRate: ENDLESS };
  const server = await createServer({ storage, audit, provider, ...rates });
  const write = (operation: 'config.client.write' | 'role.write', params: Record<string, string>, fields: object) =>
    server.method.handleAsHost({
      operation,
      params,
      fields: { ...fields },
      requestId: 'bench',
      peerAddress: undefined,
    });
  await write('config.client.write', {}, { sts_endpoint: stsUrl });
  await write('role.write', { role }, { bound_iam_principal_arn: principalArn, resolve_cloud_unique_ids: false });
  serveReports(Number(new URL(server.url).port), async () => {
    await server.close();
    await aws.close();
    await storage.close();
    await audit.close();
  });
}
