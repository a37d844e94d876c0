/** Which endpoint is asked (STS-8, STS-9, THREAT-17, THREAT-23). */
import { describe, expect, it } from 'vitest';
import { authorization, base64, prepare, unsignedGet, unsignedPost, verdict } from '../../../test/caller-identity.js';
import { isAuthError } from '../../errors.js';
import type { CallerIdentityConfig } from './verify-caller-identity.js';

const fromClient = { useStsRegionFromClient: true };
const scoped = (region: string, host = 'sts.amazonaws.com') =>
  unsignedPost(
    { Authorization: authorization(['host'], `AKIDEXAMPLE/20261121/${region}/sts/aws4_request`) },
    { url: base64(`https://${host}/`) },
  );

type Row = readonly [region: string, host: string, config: Partial<CallerIdentityConfig>, endpoint: string];

describe('the connection', () => {
  it.each<Row>([
    ['us-east-1', 'sts.amazonaws.com', {}, 'https://sts.amazonaws.com'],
    ['eu-west-1', 'sts.eu-west-1.amazonaws.com', {}, 'https://sts.amazonaws.com'],
    ['us-east-1', 'sts.amazonaws.com', { stsRegion: 'eu-west-1' }, 'https://sts.amazonaws.com'],
    ['us-east-1', 'sts.amazonaws.com', { stsEndpoint: 'http://127.0.0.1:5000/' }, 'http://127.0.0.1:5000'],
    ['us-east-1', '127.0.0.1:5000', { stsEndpoint: 'http://127.0.0.1:5000' }, 'http://127.0.0.1:5000'],
    ['us-east-1', 'gw.example', { stsEndpoint: 'HTTPS://GW.example:443/sts/' }, 'https://gw.example:443'],
    ['us-east-1', 'localhost', { stsEndpoint: 'http://localhost:80' }, 'http://localhost:80'],
    ['us-east-1', '[::1]:5000', { stsEndpoint: 'http://[::1]:5000' }, 'http://[::1]:5000'],
    ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn', { stsEndpoint: 'http://[::1]:5000' }, 'http://[::1]:5000'],
    [
      'cn-north-1',
      'sts.cn-north-1.amazonaws.com.cn',
      { stsEndpoint: 'https://gw.example', stsRegion: 'cn-north-1' },
      'https://gw.example',
    ],
    ['ap-northeast-3', 'sts.amazonaws.com', fromClient, 'https://sts.ap-northeast-3.amazonaws.com'],
    ['ap-southeast-7', 'sts.ap-southeast-7.amazonaws.com', fromClient, 'https://sts.ap-southeast-7.amazonaws.com'],
    [
      'eu-west-1',
      'sts.amazonaws.com',
      { ...fromClient, stsEndpoint: 'https://gw.example', stsRegion: 'us-east-2' },
      'https://sts.eu-west-1.amazonaws.com',
    ],
    [
      'us-gov-west-1',
      'sts.us-gov-west-1.amazonaws.com',
      { ...fromClient, stsEndpoint: 'https://sts.us-gov-east-1.amazonaws.com' },
      'https://sts.us-gov-west-1.amazonaws.com',
    ],
    [
      'cn-northwest-1',
      'sts.cn-north-1.amazonaws.com.cn',
      { ...fromClient, stsEndpoint: 'https://gw.example', stsRegion: 'cn-north-1' },
      'https://sts.cn-northwest-1.amazonaws.com.cn',
    ],
  ])('for %s signed for %s with %j goes to %s', (region, host, config, endpoint) => {
    const { outgoing } = prepare(scoped(region, host), config);
    expect(outgoing.endpoint).toBe(endpoint);
    expect(outgoing.headers[0]).toEqual(['host', host]);
  });

  it.each([
    ['fake-region-1', 'sts.amazonaws.com', fromClient, 'region_unknown'],
    ['aws-global', 'sts.amazonaws.com', fromClient, 'region_unknown'],
    ['us-east-1-fips', 'sts.amazonaws.com', fromClient, 'region_unknown'],
    ['us-gov-east-1', 'sts.amazonaws.com', fromClient, 'region_other_partition'],
    ['cn-north-1', 'sts.amazonaws.com', fromClient, 'region_other_partition'],
    [
      'cn-north-1',
      'sts.cn-north-1.amazonaws.com.cn',
      { ...fromClient, stsEndpoint: 'https://gw.example' },
      'region_other_partition',
    ],
    [
      'us-east-1',
      'sts.amazonaws.com',
      { ...fromClient, stsEndpoint: 'https://sts.us-gov-east-1.amazonaws.com', stsRegion: 'us-east-1' },
      'region_other_partition',
    ],
    ['us-east-1', 'sts.us-gov-east-1.amazonaws.com', fromClient, 'host_other_partition'],
    ['us-east-1', 'sts.cn-north-1.amazonaws.com.cn', {}, 'host_other_partition'],
    [
      'us-east-1',
      'sts.amazonaws.com',
      { stsEndpoint: 'https://gw.example', stsRegion: 'eusc-de-east-1' },
      'host_other_partition',
    ],
    ['eu-west-1', 'gw.example', { ...fromClient, stsEndpoint: 'https://gw.example' }, 'url_host_unknown'],
  ])('for %s signed for %s with %j is refused', async (region, host, config, reason) => {
    expect(await verdict(scoped(region, host), config)).toBe(reason);
  });

  it("of a GET takes the region from the query's credential", () => {
    const credential = encodeURIComponent('AKIDEXAMPLE/20261121/eu-central-2/sts/aws4_request');
    const { outgoing } = prepare(unsignedGet({ 'X-Amz-Credential': credential }), fromClient);
    expect(outgoing.endpoint).toBe('https://sts.eu-central-2.amazonaws.com');
  });

  it.each(['no-url', 'ftp://gw.example', 'https://', '//gw.example'])(
    'to %j is a fault of the operator',
    (stsEndpoint) => {
      expect.assertions(2);
      for (const config of [{ stsEndpoint }, { stsEndpoint, ...fromClient }]) {
        try {
          prepare(unsignedPost(), config);
        } catch (error) {
          expect(isAuthError(error) && error.code).toBe('provider_misconfigured');
        }
      }
    },
  );
});
