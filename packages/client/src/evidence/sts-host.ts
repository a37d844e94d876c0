/**
 * Where a request is signed for: the regional STS host of every partition (STS-10). By the prefix of the region's name, so that
 * a region which opens tomorrow needs no new version; whether the server knows it, it says itself.
 */

/** The global host, which takes signatures of this region only. */
export const GLOBAL_STS = { host: 'sts.amazonaws.com', region: 'us-east-1' } as const;

const SUFFIX_OF_PREFIX: readonly (readonly [prefix: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eusc-', 'amazonaws.eu'],
];

const REGION = /^[a-z]{2,8}(?:-[a-z]{1,16}){1,3}-\d{1,2}$/;

/** @throws TypeError for what is no region: it would become part of a host name. */
export function stsHostOf(region: string): string {
  if (!REGION.test(region)) throw new TypeError('region: not the name of a region');
  const suffix = SUFFIX_OF_PREFIX.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'amazonaws.com';
  return `sts.${region}.${suffix}`;
}
