/**
 * Where STS answers, region by region, in every partition (STS-10, STS-9). Data, and look-ups
 * by exact equality: a host that is merely like one of these is no STS host (THREAT-17). A region that is not listed is
 * refused until it is added here.
 */

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
