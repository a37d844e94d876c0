import { stsHostOf } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { findStsHost, findStsRegion, isKnownStsHost, stsRegions } from './sts-target.js';

describe('STS endpoints', () => {
  it('are known for every region, each at its own host', () => {
    const regions = stsRegions();
    expect(regions).toHaveLength(48);
    expect(new Set(regions.map(({ host }) => host)).size).toBe(48);
    for (const { region, host, partition } of regions) {
      expect(host).toBe(stsHostOf(region));
      expect(findStsHost(host)).toEqual({ host, region, partition });
    }
  });

  it.each([
    ['us-east-1', 'aws', 'sts.us-east-1.amazonaws.com'],
    ['ap-east-2', 'aws', 'sts.ap-east-2.amazonaws.com'],
    ['ap-southeast-5', 'aws', 'sts.ap-southeast-5.amazonaws.com'],
    ['ap-southeast-6', 'aws', 'sts.ap-southeast-6.amazonaws.com'],
    ['ap-southeast-7', 'aws', 'sts.ap-southeast-7.amazonaws.com'],
    ['me-west-1', 'aws', 'sts.me-west-1.amazonaws.com'],
    ['mx-central-1', 'aws', 'sts.mx-central-1.amazonaws.com'],
    ['sa-west-1', 'aws', 'sts.sa-west-1.amazonaws.com'],
    ['il-central-1', 'aws', 'sts.il-central-1.amazonaws.com'],
    ['cn-northwest-1', 'aws-cn', 'sts.cn-northwest-1.amazonaws.com.cn'],
    ['us-gov-east-1', 'aws-us-gov', 'sts.us-gov-east-1.amazonaws.com'],
    ['us-iso-west-1', 'aws-iso', 'sts.us-iso-west-1.c2s.ic.gov'],
    ['us-isob-east-1', 'aws-iso-b', 'sts.us-isob-east-1.sc2s.sgov.gov'],
    ['eu-isoe-west-1', 'aws-iso-e', 'sts.eu-isoe-west-1.cloud.adc-e.uk'],
    ['us-isof-south-1', 'aws-iso-f', 'sts.us-isof-south-1.csp.hci.ic.gov'],
    ['eusc-de-east-1', 'aws-eusc', 'sts.eusc-de-east-1.amazonaws.eu'],
  ])('of %s is in %s at %s', (region, partition, host) => {
    expect(findStsRegion(region)).toEqual({ region, partition, host });
  });

  it.each([
    ['sts.amazonaws.com', 'us-east-1'],
    ['sts-fips.us-east-1.amazonaws.com', 'us-east-1'],
    ['sts-fips.us-west-2.amazonaws.com', 'us-west-2'],
    ['sts-fips.ca-central-1.amazonaws.com', 'ca-central-1'],
    ['sts.eu-west-1.api.aws', 'eu-west-1'],
    ['sts-fips.us-east-2.api.aws', 'us-east-2'],
    ['sts.us-gov-west-1.api.aws', 'us-gov-west-1', 'aws-us-gov'],
    ['sts.cn-north-1.api.amazonwebservices.com.cn', 'cn-north-1', 'aws-cn'],
  ])('include %s, which takes the scope of %s', (host, region, partition = 'aws') => {
    expect(findStsHost(host)).toEqual({ host, region, partition });
  });

  it.each(['fake-region-1', 'aws-global', 'us-east-1-fips', 'US-EAST-1', 'us-east-9', 'eu-west-', '', '__proto__'])(
    'are not known for %j',
    (region) => {
      expect(findStsRegion(region)).toBeUndefined();
    },
  );

  it.each([
    'sts.evil.com/.amazonaws.com',
    'sts.us-east-1.amazonaws.com.evil.org',
    'sts.amazonaws.com.',
    'STS.amazonaws.com',
    'sts.amazonaws.com:443',
    'sts.us-east-1.amazonaws.com.cn',
    'sts-fips.eu-west-1.amazonaws.com',
    'sts-fips.eu-west-1.api.aws',
    'sts.us-iso-east-1.api.aws',
    'sts.api.aws',
    'xn--sts-.amazonaws.com',
    'amazonaws.com',
    '[::1]',
    '',
    'constructor',
  ])('do not include %j', (host) => {
    expect(isKnownStsHost(host)).toBe(false);
  });
});
