/** Where requests go when no endpoint is configured: the SDK's own table of hosts, for the regions that we name. */
import { IAMClient, ListAccountAliasesCommand } from '@aws-sdk/client-iam';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { describe, expect, it } from 'vitest';
import { iamRegionOf, partitionOf } from '../partition.js';
import { readSettings } from '../settings.js';
import { createSdkHandler } from '../transport/sdk-handler.js';
import type { TransportRequest } from '../transport/transport.js';
import { TransportError } from '../transport/transport-error.js';
import { clientSettings } from './client-settings.js';

const settings = readSettings();
const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' };

async function hostOf(send: (handler: ReturnType<typeof createSdkHandler>) => Promise<unknown>): Promise<string> {
  const seen: TransportRequest[] = [];
  const transport = {
    exchange: async (request: TransportRequest) => {
      seen.push(request);
      throw new TransportError('closed', 'not sent');
    },
    load: async () => undefined,
    close: async () => undefined,
  };
  await expect(send(createSdkHandler(transport, 1_000))).rejects.toThrow(TransportError);
  return seen.map(({ origin }) => origin.href).join(' ');
}

describe('IAM of a partition', () => {
  it.each([
    ['us-east-1', 'aws', 'https://iam.amazonaws.com/'],
    ['ap-southeast-7', 'aws', 'https://iam.amazonaws.com/'],
    ['mx-central-1', 'aws', 'https://iam.amazonaws.com/'],
    ['cn-northwest-1', 'aws-cn', 'https://iam.cn-north-1.amazonaws.com.cn/'],
    ['us-gov-east-1', 'aws-us-gov', 'https://iam.us-gov.amazonaws.com/'],
    ['us-iso-west-1', 'aws-iso', 'https://iam.us-iso-east-1.c2s.ic.gov/'],
    ['us-isob-east-1', 'aws-iso-b', 'https://iam.us-isob-east-1.sc2s.sgov.gov/'],
    ['eu-isoe-west-1', 'aws-iso-e', 'https://iam.eu-isoe-west-1.cloud.adc-e.uk/'],
    ['us-isof-east-1', 'aws-iso-f', 'https://iam.us-isof-south-1.csp.hci.ic.gov/'],
    ['eusc-de-east-1', 'aws-eusc', 'https://iam.eusc-de-east-1.amazonaws.eu/'],
  ])('of %s (%s) is asked at %s', async (region, partition, url) => {
    expect(partitionOf(region)).toBe(partition);
    const where = { region: iamRegionOf(partition) ?? '', credentials, endpoint: undefined };
    const asked = await hostOf((handler) =>
      new IAMClient(clientSettings(handler, settings, where)).send(new ListAccountAliasesCommand({})),
    );
    expect(asked).toBe(url);
  });
});

it.each([
  ['eu-west-1', 'https://sts.eu-west-1.amazonaws.com/'],
  ['cn-north-1', 'https://sts.cn-north-1.amazonaws.com.cn/'],
  ['us-gov-west-1', 'https://sts.us-gov-west-1.amazonaws.com/'],
])('STS of %s is asked at %s', async (region, url) => {
  const where = { region, credentials, endpoint: undefined };
  const asked = await hostOf((handler) =>
    new STSClient(clientSettings(handler, settings, where)).send(new GetCallerIdentityCommand({})),
  );
  expect(asked).toBe(url);
});
