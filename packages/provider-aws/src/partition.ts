/**
 * Which partition a region is in, and where a partition's IAM and STS are asked (PROVIDER-2: the partition is part of every
 * key; THREAT-27: a region becomes part of a host name, so nothing else may pass for one).
 */

const PREFIXES: readonly (readonly [prefix: string, partition: string])[] = [
  ['cn-', 'aws-cn'],
  ['us-gov-', 'aws-us-gov'],
  ['us-iso-', 'aws-iso'],
  ['us-isob-', 'aws-iso-b'],
  ['eu-isoe-', 'aws-iso-e'],
  ['us-isof-', 'aws-iso-f'],
  ['eusc-', 'aws-eusc'],
];

/** IAM is one service a partition; its requests are signed for this region. */
const HOME_REGIONS: ReadonlyMap<string, string> = new Map([
  ['aws', 'us-east-1'],
  ['aws-cn', 'cn-north-1'],
  ['aws-us-gov', 'us-gov-west-1'],
  ['aws-iso', 'us-iso-east-1'],
  ['aws-iso-b', 'us-isob-east-1'],
  ['aws-iso-e', 'eu-isoe-west-1'],
  ['aws-iso-f', 'us-isof-south-1'],
  ['aws-eusc', 'eusc-de-east-1'],
]);

/** Letters, dashes and one number at the end: no dot, slash or at-sign can reach a host name. */
const REGION = /^[a-z]{2,4}(?:-[a-z]+){1,3}-\d{1,2}$/;

/** The partition of a region, or undefined where the text is no region. */
export function partitionOf(region: string): string | undefined {
  if (!REGION.test(region)) return undefined;
  return PREFIXES.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'aws';
}

/** The region of a partition's IAM endpoint; undefined for an unknown partition. */
export function iamRegionOf(partition: string): string | undefined {
  return HOME_REGIONS.get(partition);
}

/** Region of an availability zone: `us-east-1a`, and of local zones too: `us-west-2-lax-1a`. */
export function regionOfZone(zone: string): string | undefined {
  return /^[a-z]{2,4}(?:-[a-z]+){1,3}-\d{1,2}/.exec(zone)?.[0];
}
