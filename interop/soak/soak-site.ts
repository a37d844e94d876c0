/**
 * One `postern serve` to soak: on SQLite or PostgreSQL, with registry, metrics and every rate as it is by default. Instances
 * answer from their ids; logins of type `iam` go through the AWS provider to an STS in this process.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSite, IMAGE_ID, type ServingPostern, type Site, servePostern, startPostern } from '@postern/internal';
import { type Cluster, createCluster } from '../postgres/cluster.js';
import type { SoakStorage } from './settings.js';

/** Lifetime of tokens, and least age of an entry that tidying removes. */
export const TOKEN_SECONDS = 60;
/** After this an instance is terminated: its id begins with the second of its end. */
export const INSTANCE_SECONDS = 90;
export const SCHEMA = 'soak';

const PROVIDER = `import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export async function createProvider({ options, directory, configuration }) {
  const { createAwsProvider } = await import(options.aws);
  const aws = createAwsProvider({ configuration, environment: {} });
  return {
    ...aws,
    describeInstance: async ({ instanceId, accountId, region }) => ({
      instanceId, accountId, region, imageId: options.imageId,
      state: Number.parseInt(instanceId.slice(2, 10), 16) * 1000 > Date.now() ? 'running' : 'terminated',
      vpcId: undefined, subnetId: undefined, instanceProfileArn: undefined, tags: new Map(),
    }),
    builtInCertificates: JSON.parse(readFileSync(join(directory, 'certificates.json'), 'utf8')),
  };
}
`;

export interface SoakSite {
  readonly storage: SoakStorage;
  readonly site: Site;
  readonly server: ServingPostern;
  readonly rootToken: string;
  readonly metricsUrl: string;
  readonly stsUrl: string;
  /** Where the storage is PostgreSQL. */
  readonly cluster: Cluster | undefined;
  /** Stops the server in order. @returns what is wrong with its audit log, as `postern audit verify` has it; empty: nothing. */
  stopAndVerify(): Promise<string>;
  close(): Promise<void>;
}

export async function openSoakSite(storage: SoakStorage): Promise<SoakSite> {
  const cluster = storage === 'postgres' ? await createCluster() : undefined;
  const site = createSite({
    ...(cluster === undefined ? {} : { storage: { postgres: { url: cluster.connectionString, schema: SCHEMA } } }),
    registry: { archives: './archives' },
    tokens: { defaultTtlSeconds: TOKEN_SECONDS, maxTtlSeconds: TOKEN_SECONDS },
    trustedProxies: ['127.0.0.1'],
    metrics: { port: 0 },
    ...{ loginRate: {}, peerRate: {}, tokenRate: {} },
    provider: { module: './provider.mjs', options: { imageId: IMAGE_ID, aws: awsModule() } },
  });
  writeFileSync(join(site.folder, 'provider.mjs'), PROVIDER);
  const sts = await site.cloud.sts.listen();
  const server = await servePostern(site.configFile);
  const metricsUrl = /"metrics":"([^"]+)"/.exec(server.stderr())?.[1];
  if (server.rootToken === undefined || metricsUrl === undefined) throw new Error(`not ready:\n${server.stderr()}`);
  return {
    ...{ storage, site, server, rootToken: server.rootToken, metricsUrl, stsUrl: sts.url, cluster },
    async stopAndVerify() {
      server.signal('SIGTERM');
      await server.ended;
      const verify = startPostern(['audit', 'verify', join(site.folder, 'audit.log')]);
      return (await verify.ended) === 0 ? '' : verify.stderr();
    },
    async close() {
      server.signal('SIGKILL');
      await server.ended;
      await sts.close();
      await cluster?.remove();
      site.remove();
    },
  };
}

/** As it was built: a module in a temporary folder finds no package by its name. */
const awsModule = () => new URL('../../packages/provider-aws/dist/index.js', import.meta.url).href;
