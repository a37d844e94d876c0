/** The client configuration as the provider uses it: checked once, compared by value (CONFIG-7, PROVIDER-2). */
import { ProviderError } from '@postern/ports';
import { parseEndpoint } from './endpoint.js';
import type { AwsClientConfig, AwsCredentials } from './options.js';
import { partitionOf } from './partition.js';

export interface Settings {
  /** The pair that is configured or in `CLOUD_*`; undefined: the SDK's own chain. */
  readonly staticCredentials: AwsCredentials | undefined;
  /** Attempts of one call; undefined: the SDK's own default. */
  readonly maxAttempts: number | undefined;
  readonly ec2Endpoint: string | undefined;
  readonly iamEndpoint: string | undefined;
  readonly stsEndpoint: string | undefined;
  /** Where our own STS calls go. */
  readonly stsRegion: string;
  /** Of our credentials: no call for another one is ever made with them. */
  readonly homePartition: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const UNSET: AwsClientConfig = {
  accessKey: '',
  secretKey: '',
  maxRetries: -1,
  endpoint: '',
  iamEndpoint: '',
  stsEndpoint: '',
  stsRegion: '',
};

/**
 * @throws ProviderError `misconfigured` for half a key pair, an endpoint that must not be connected to, or a region that is
 *   none. The message names the setting, never its value.
 */
export function readSettings(config: AwsClientConfig = UNSET, environment: Environment = {}): Settings {
  const named = [
    config.stsRegion,
    environment['CLOUD_REGION'],
    environment['AWS_REGION'],
    environment['AWS_DEFAULT_REGION'],
  ];
  const stsRegion = named.find((region) => region !== undefined && region !== '') ?? 'us-east-1';
  const homePartition = partitionOf(stsRegion);
  if (homePartition === undefined) {
    throw new ProviderError('misconfigured', 'sts_region, or the region of the environment, is no region');
  }
  return {
    staticCredentials:
      pair(config.accessKey, config.secretKey, 'access_key and secret_key') ??
      pair(environment['CLOUD_ACCESS_KEY'], environment['CLOUD_SECRET_KEY'], 'CLOUD_ACCESS_KEY and CLOUD_SECRET_KEY'),
    maxAttempts: config.maxRetries < 0 ? undefined : config.maxRetries + 1,
    ec2Endpoint: endpoint(config.endpoint, 'endpoint'),
    iamEndpoint: endpoint(config.iamEndpoint, 'iam_endpoint'),
    stsEndpoint: endpoint(config.stsEndpoint, 'sts_endpoint'),
    stsRegion,
    homePartition,
  };
}

export function sameSettings(a: Settings, b: Settings): boolean {
  return (
    a.staticCredentials?.accessKeyId === b.staticCredentials?.accessKeyId &&
    a.staticCredentials?.secretAccessKey === b.staticCredentials?.secretAccessKey &&
    a.maxAttempts === b.maxAttempts &&
    a.ec2Endpoint === b.ec2Endpoint &&
    a.iamEndpoint === b.iamEndpoint &&
    a.stsEndpoint === b.stsEndpoint &&
    a.stsRegion === b.stsRegion
  );
}

function pair(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  what: string,
): AwsCredentials | undefined {
  if (!accessKeyId && !secretAccessKey) return undefined;
  if (!accessKeyId || !secretAccessKey)
    throw new ProviderError('misconfigured', `${what}: one is set without the other`);
  return { accessKeyId, secretAccessKey };
}

function endpoint(text: string, what: string): string | undefined {
  return text === '' ? undefined : parseEndpoint(text, what).href;
}
