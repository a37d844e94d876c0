/** The hosts of STS: which region a host stands for, and which host serves a region. */
import { partitionOf } from '../fake-cloud/ids.js';

const DNS_SUFFIX: Readonly<Record<string, string>> = {
  aws: 'amazonaws.com',
  'aws-cn': 'amazonaws.com.cn',
  'aws-us-gov': 'amazonaws.com',
  'aws-eusc': 'amazonaws.eu',
  'aws-iso': 'c2s.ic.gov',
  'aws-iso-b': 'sc2s.sgov.gov',
  'aws-iso-e': 'cloud.adc-e.uk',
  'aws-iso-f': 'csp.hci.ic.gov',
};

/** The global endpoint, which takes signatures of this region only. */
const GLOBAL = { host: 'sts.amazonaws.com', region: 'us-east-1' } as const;

/** The host of a region's endpoint; the global one without a region. */
export function stsHostOf(region?: string): string {
  return region === undefined ? GLOBAL.host : `sts.${region}.${DNS_SUFFIX[partitionOf(region)]}`;
}

/** The one region that a host takes signatures of; undefined for a host that is not one of STS. */
export function regionOfStsHost(host: string): string | undefined {
  const name = host.toLowerCase().replace(/:443$/, '');
  if (name === GLOBAL.host) return GLOBAL.region;
  const region = /^sts(?:-fips)?\.([a-z]+(?:-[a-z]+)+-\d)\./.exec(name)?.[1];
  return region !== undefined && name.replace('sts-fips.', 'sts.') === stsHostOf(region) ? region : undefined;
}

/** Whether a text has the shape of a region's name. */
export function isRegionName(text: string): boolean {
  return /^[a-z]+(-[a-z]+)+-\d$/.test(text);
}
