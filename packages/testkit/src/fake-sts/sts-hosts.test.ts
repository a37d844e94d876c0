import { describe, expect, it } from 'vitest';
import { regionOfStsHost, stsHostOf } from './sts-hosts.js';

describe('the hosts of STS', () => {
  it.each([
    [undefined, 'sts.amazonaws.com'],
    ['eu-west-1', 'sts.eu-west-1.amazonaws.com'],
    ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
    ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
    ['us-iso-east-1', 'sts.us-iso-east-1.c2s.ic.gov'],
    ['us-isob-east-1', 'sts.us-isob-east-1.sc2s.sgov.gov'],
    ['eu-isoe-west-1', 'sts.eu-isoe-west-1.cloud.adc-e.uk'],
    ['us-isof-south-1', 'sts.us-isof-south-1.csp.hci.ic.gov'],
    ['eusc-de-east-1', 'sts.eusc-de-east-1.amazonaws.eu'],
  ])('serve %s at %s, and take its signatures', (region, host) => {
    expect(stsHostOf(region)).toBe(host);
    expect(regionOfStsHost(host)).toBe(region ?? 'us-east-1');
  });

  it.each([
    ['STS.Amazonaws.com:443', 'us-east-1'],
    ['sts-fips.us-east-2.amazonaws.com', 'us-east-2'],
    ['127.0.0.1:4566', undefined],
    ['sts.example.org', undefined],
    ['sts.eu-west-1.amazonaws.com.cn', undefined],
    ['sts.cn-north-1.amazonaws.com', undefined],
    ['sts.eu-west-1.amazonaws.com.example.org', undefined],
    ['sts.amazonaws.com:444', undefined],
  ])('are told from others: %s', (host, region) => {
    expect(regionOfStsHost(host)).toBe(region);
  });
});
