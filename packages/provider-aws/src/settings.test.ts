import { describe, expect, it } from 'vitest';
import type { AwsClientConfig } from './options.js';
import { regionOfZone } from './partition.js';
import { readSettings, sameSettings } from './settings.js';

const config: AwsClientConfig = {
  accessKey: '',
  secretKey: '',
  maxRetries: -1,
  endpoint: '',
  iamEndpoint: '',
  stsEndpoint: '',
  stsRegion: '',
};

describe('the region of STS', () => {
  it.each<[string, Record<string, string>, string]>([
    ['', {}, 'us-east-1'],
    ['', { AWS_DEFAULT_REGION: 'eu-west-1' }, 'eu-west-1'],
    ['', { AWS_DEFAULT_REGION: 'eu-west-1', AWS_REGION: 'eu-west-2' }, 'eu-west-2'],
    ['', { AWS_REGION: 'eu-west-2', CLOUD_REGION: 'eu-west-3' }, 'eu-west-3'],
    ['cn-north-1', { CLOUD_REGION: 'eu-west-3' }, 'cn-north-1'],
    ['', { CLOUD_REGION: '' }, 'us-east-1'],
  ])('configured as %j in the environment %o is %s (PROVIDER-3)', (stsRegion, environment, expected) => {
    expect(readSettings({ ...config, stsRegion }, environment).stsRegion).toBe(expected);
  });

  it.each(['us-east-1.evil.example', 'evil', 'US-EAST-1', 'us-east-1\n'])('is never %j', (stsRegion) => {
    expect(() => readSettings({ ...config, stsRegion })).toThrow(expect.objectContaining({ code: 'misconfigured' }));
  });
});

it('without a stored configuration all defaults hold (CONFIG-6)', () => {
  expect(readSettings(undefined)).toEqual(readSettings(config));
  expect(readSettings(undefined)).toMatchObject({ staticCredentials: undefined, maxAttempts: undefined });
});

describe('two configurations', () => {
  const changes: readonly Partial<AwsClientConfig>[] = [
    { accessKey: 'A', secretKey: 'B' },
    { accessKey: 'A', secretKey: 'C' },
    { maxRetries: 0 },
    { endpoint: 'https://a.example' },
    { iamEndpoint: 'https://a.example' },
    { stsEndpoint: 'https://a.example' },
    { stsRegion: 'eu-west-1' },
  ];

  it('are the same by value only', () => {
    const all = [{}, ...changes].map((change) => readSettings({ ...config, ...change }));
    for (const [at, a] of all.entries()) {
      for (const [other, b] of all.entries()) expect(sameSettings(a, b)).toBe(at === other);
      expect(sameSettings(a, structuredClone(a))).toBe(true);
    }
  });
});

it.each([
  ['us-east-1a', 'us-east-1'],
  ['us-west-2-lax-1a', 'us-west-2'],
  ['us-east-1-wl1-bos-wlz-1', 'us-east-1'],
  ['us-gov-west-1b', 'us-gov-west-1'],
  ['nowhere', undefined],
])('the zone %s is in the region %s', (zone, region) => {
  expect(regionOfZone(zone)).toBe(region);
});
