/**
 * Which STS endpoint verifies a request (STS-8 to STS-10, THREAT-23). The region that the client signed counts only where the
 * operator configured that, and then only for a known region of the operator's partition. Hosts are compared by exact
 * equality: a name that only resembles an STS host is rejected (THREAT-17). A region is unknown until it is listed here.
 */
import { lowerAscii } from '@postern/kernel';
import { AuthError, unverified } from '../../errors.js';

/** Of the client configuration (CONFIG-1). */
export interface StsTargetConfig {
  /** Empty: the default endpoint. */
  readonly stsEndpoint: string;
  readonly stsRegion: string;
  readonly useStsRegionFromClient: boolean;
}

export interface StsTarget {
  /** Scheme and authority, lower case, without a path: the path of the request is always `/`. */
  readonly endpoint: string;
  /** Undefined for an endpoint outside AWS without a region. */
  readonly partition: string | undefined;
}

/**
 * The operator's own endpoint as clients name it in `Host`: legal beside the known hosts. Undefined where none is
 * configured or the client's region decides.
 */
export function ownHostOf(config: StsTargetConfig): string | undefined {
  if (config.stsEndpoint === '' || config.useStsRegionFromClient) return undefined;
  const { scheme, authority } = splitEndpoint(config.stsEndpoint);
  const defaultPort = scheme === 'https' ? ':443' : ':80';
  return authority.endsWith(defaultPort) ? authority.slice(0, -defaultPort.length) : authority;
}

/**
 * @param scopeRegion region of the credential scope.
 * @throws AuthError `evidence_unverified`, reason `region_unknown`, `region_other_partition`; `provider_misconfigured`
 *   where the stored endpoint is not a URL.
 */
export function findStsTarget(config: StsTargetConfig, scopeRegion: string): StsTarget {
  if (!config.useStsRegionFromClient) return configuredTarget(config);
  const regional = findStsRegion(scopeRegion);
  if (regional === undefined) throw unverified('region_unknown');
  const { partition = DEFAULT_PARTITION } = configuredTarget(config);
  if (regional.partition !== partition) throw unverified('region_other_partition');
  return { endpoint: `https://${regional.host}`, partition };
}

/** @throws AuthError `evidence_unverified`, reason `host_other_partition`. */
export function checkHostPartition(host: string, target: StsTarget): void {
  const partition = findStsHost(host)?.partition;
  if (partition !== undefined && target.partition !== undefined && partition !== target.partition) {
    throw unverified('host_other_partition');
  }
}

function configuredTarget({ stsEndpoint, stsRegion }: StsTargetConfig): StsTarget {
  if (stsEndpoint === '') return { endpoint: `https://${DEFAULT_STS_HOST}`, partition: DEFAULT_PARTITION };
  const { scheme, authority } = splitEndpoint(stsEndpoint);
  const partition = (findStsHost(authority) ?? findStsRegion(stsRegion))?.partition;
  return { endpoint: `${scheme}://${authority}`, partition };
}

/** Of a text that was checked when it was stored (CONFIG-3): no user info, query or fragment. */
function splitEndpoint(endpoint: string): { readonly scheme: string; readonly authority: string } {
  const [scheme = '', ...rest] = endpoint.split('://');
  const [authority = ''] = (rest[0] ?? '').split('/');
  const known = lowerAscii(scheme);
  if ((known !== 'https' && known !== 'http') || authority === '') {
    throw new AuthError('provider_misconfigured', 'sts_endpoint: not a URL');
  }
  return { scheme: known, authority: lowerAscii(authority) };
}

interface Partition {
  readonly id: string;
  readonly suffix: string;
  /** Of the hosts that answer over IPv6 as well, where STS of the partition has them. */
  readonly dualStackSuffix?: string;
  readonly regions: readonly string[];
  /** Regions with a separate FIPS host; elsewhere the plain host is the only one. */
  readonly fipsRegions?: readonly string[];
  readonly global?: { readonly host: string; readonly region: string };
}

const PARTITIONS: readonly Partition[] = [
  {
    id: 'aws',
    suffix: 'amazonaws.com',
    dualStackSuffix: 'api.aws',
    regions: [
      'af-south-1',
      ...numbered('ap-east-', 2),
      ...numbered('ap-northeast-', 3),
      ...numbered('ap-south-', 2),
      ...numbered('ap-southeast-', 7),
      'ca-central-1',
      'ca-west-1',
      ...numbered('eu-central-', 2),
      'eu-north-1',
      ...numbered('eu-south-', 2),
      ...numbered('eu-west-', 3),
      'il-central-1',
      'me-central-1',
      'me-south-1',
      'me-west-1',
      'mx-central-1',
      'sa-east-1',
      'sa-west-1',
      ...numbered('us-east-', 2),
      ...numbered('us-west-', 2),
    ],
    fipsRegions: ['ca-central-1', 'ca-west-1', ...numbered('us-east-', 2), ...numbered('us-west-', 2)],
    global: { host: 'sts.amazonaws.com', region: 'us-east-1' },
  },
  {
    id: 'aws-cn',
    suffix: 'amazonaws.com.cn',
    dualStackSuffix: 'api.amazonwebservices.com.cn',
    regions: ['cn-north-1', 'cn-northwest-1'],
  },
  {
    id: 'aws-us-gov',
    suffix: 'amazonaws.com',
    dualStackSuffix: 'api.aws',
    regions: ['us-gov-east-1', 'us-gov-west-1'],
  },
  { id: 'aws-iso', suffix: 'c2s.ic.gov', regions: ['us-iso-east-1', 'us-iso-west-1'] },
  { id: 'aws-iso-b', suffix: 'sc2s.sgov.gov', regions: ['us-isob-east-1', 'us-isob-west-1'] },
  { id: 'aws-iso-e', suffix: 'cloud.adc-e.uk', regions: ['eu-isoe-west-1'] },
  { id: 'aws-iso-f', suffix: 'csp.hci.ic.gov', regions: ['us-isof-east-1', 'us-isof-south-1'] },
  { id: 'aws-eusc', suffix: 'amazonaws.eu', regions: ['eusc-de-east-1'] },
];

/** Of the endpoint that is used where nothing is configured. */
export const DEFAULT_STS_HOST = 'sts.amazonaws.com';
export const DEFAULT_PARTITION = 'aws';

/** A host name at which STS answers. */
export interface StsHost {
  readonly host: string;
  readonly partition: string;
  /** Of the global host: the region whose credential scope it takes. */
  readonly region: string;
}

const BY_REGION = new Map<string, StsHost>();
const BY_HOST = new Map<string, StsHost>();

for (const { id: partition, suffix, dualStackSuffix = suffix, regions, fipsRegions = [], global } of PARTITIONS) {
  for (const region of regions) {
    const regional = { host: `sts.${region}.${suffix}`, partition, region };
    BY_REGION.set(region, regional);
    addHost({ host: `sts.${region}.${dualStackSuffix}`, partition, region });
    addHost(regional);
  }
  for (const each of new Set([suffix, dualStackSuffix])) {
    for (const region of fipsRegions) addHost({ host: `sts-fips.${region}.${each}`, partition, region });
  }
  if (global !== undefined) addHost({ ...global, partition });
}

/** The regional host of a region, or undefined where the region is not known. */
export function findStsRegion(region: string): StsHost | undefined {
  return BY_REGION.get(region);
}

/** The host of that exact name: lower case, no port, no trailing dot. */
export function findStsHost(host: string): StsHost | undefined {
  return BY_HOST.get(host);
}

/** Whether a text is the exact name of a host at which STS answers. */
export function isKnownStsHost(host: string): boolean {
  return BY_HOST.has(host);
}

/** Every region of every partition, in the order of this file. */
export function stsRegions(): readonly StsHost[] {
  return [...BY_REGION.values()];
}

function addHost(host: StsHost): void {
  BY_HOST.set(host.host, host);
}

/** `eu-west-`, 3 → `eu-west-1`, `eu-west-2`, `eu-west-3`. */
function numbered(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}
