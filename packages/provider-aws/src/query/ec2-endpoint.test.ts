/** Where EC2 is asked, held against the rules of the SDK's client and against where it sends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSdkHandler } from '../transport/sdk-handler.js';
import { TransportError } from '../transport/transport-error.js';
import { decideEc2Endpoint, findEc2Endpoint } from './ec2-endpoint.js';

const REGIONS = [
  'us-east-1',
  'eu-west-1',
  'ap-southeast-7',
  'mx-central-1',
  'il-central-1',
  'cn-north-1',
  'cn-northwest-1',
  'us-gov-east-1',
  'us-gov-west-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
  'eusc-de-east-1',
  'zz-nowhere-9',
];

function sdkDecides({ Endpoint, ...parameters }: Parameters<typeof decideEc2Endpoint>[0]): string | undefined {
  const { endpointProvider } = new EC2Client({ region: 'us-east-1' }).config;
  try {
    return endpointProvider({ ...parameters, ...(Endpoint === undefined ? {} : { Endpoint }) }).url.href;
  } catch {
    return undefined;
  }
}

describe.each(REGIONS)('the rules for %s', (Region) => {
  it.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])('are those of the SDK with FIPS %s, dual stack %s', (UseFIPS, UseDualStack) => {
    for (const Endpoint of [undefined, 'https://ec2.example/base']) {
      const parameters = { Region, Endpoint, UseFIPS, UseDualStack };
      const expected = sdkDecides(parameters);
      if (expected === undefined) {
        expect(() => decideEc2Endpoint(parameters)).toThrow(expect.objectContaining({ code: 'misconfigured' }));
      } else {
        expect(new URL(decideEc2Endpoint(parameters)).href).toBe(expected);
      }
    }
  });
});

const SHARED = `[default]
use_fips_endpoint = true
[profile other]
endpoint_url = https://all.example
services = mine
[services mine]
ec2 =
  endpoint_url = https://ec2.example/base
`;

describe('the environment', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-endpoint-'));
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'credentials'));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  /** Where the SDK's client would send to; undefined where it does not. */
  async function sdkSends(endpoint?: string): Promise<string | undefined> {
    const sent: string[] = [];
    const transport = {
      load: async () => undefined,
      close: async () => undefined,
      async exchange({ origin, target }: { readonly origin: URL; readonly target: string }) {
        sent.push(`${origin.origin}${target}`);
        throw new TransportError('closed', 'not sent');
      },
    };
    const client = new EC2Client({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' },
      requestHandler: createSdkHandler(transport, 1_000),
      ...(endpoint === undefined ? {} : { endpoint }),
    });
    await client.send(new DescribeInstancesCommand({})).catch(() => undefined);
    return sent[0];
  }

  it.each<[string, Record<string, string>, string?]>([
    ['nothing', {}],
    ['FIPS', { AWS_USE_FIPS_ENDPOINT: 'true' }],
    ['dual stack', { AWS_USE_DUALSTACK_ENDPOINT: 'true' }],
    ['both', { AWS_USE_FIPS_ENDPOINT: 'true', AWS_USE_DUALSTACK_ENDPOINT: 'true' }],
    ['an endpoint for EC2', { AWS_ENDPOINT_URL_EC2: 'https://ec2.example:8443/base/' }],
    ['an endpoint for all', { AWS_ENDPOINT_URL: 'https://all.example' }],
    [
      'one for all and one for EC2',
      { AWS_ENDPOINT_URL: 'https://all.example', AWS_ENDPOINT_URL_EC2: 'https://ec2.example' },
    ],
    [
      'one that is to be ignored',
      { AWS_ENDPOINT_URL: 'https://all.example', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
    ],
    ['one beside the configured one', { AWS_ENDPOINT_URL: 'https://all.example' }, 'https://mine.example/x'],
    ['a shared file', { SHARED }],
    ['a shared file with a profile', { SHARED, AWS_PROFILE: 'other' }],
  ])('with %s leads where the SDK sends', async (_, { SHARED: file = '', ...variables }, endpoint) => {
    writeFileSync(join(folder, 'config'), file);
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const { origin, pathname } = await findEc2Endpoint('eu-west-1', endpoint);
    expect(`${origin}${pathname.endsWith('/') ? pathname : `${pathname}/`}`).toBe(await sdkSends(endpoint));
  });

  it('with FIPS beside a configured endpoint leads nowhere', async () => {
    vi.stubEnv('AWS_USE_FIPS_ENDPOINT', 'true');
    await expect(findEc2Endpoint('eu-west-1', 'https://mine.example')).rejects.toMatchObject({ code: 'misconfigured' });
    expect(await sdkSends('https://mine.example')).toBeUndefined();
  });
});
