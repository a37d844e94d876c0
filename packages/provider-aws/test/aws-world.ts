/** A provider over the fake AWS, with a configuration that a test may change at any time. */
import { createManualClock } from '@postern/testkit';
import {
  type AwsClientConfig,
  type AwsProviderOptions,
  type AwsStsAssociation,
  createAwsProvider,
} from '../src/index.js';
import { type FakeAws, startFakeAws } from './fake-aws.js';

export const OWN = '111122223333';
export const OTHER = '444455556666';
export const OWN_KEY = 'AKIAOWNOWNOWNOWNOWN1';
export const SECRET_CANARY = 'canary-secret-0123456789';

export type ProviderChanges = Partial<Omit<AwsProviderOptions, 'configuration' | 'clock'>>;

export async function createAwsWorld(changes: ProviderChanges = {}, config: Partial<AwsClientConfig> = {}) {
  const aws: FakeAws = await startFakeAws();
  aws.keys.set(OWN_KEY, OWN);
  const clock = createManualClock(Date.now());
  const stored: AwsClientConfig = {
    accessKey: OWN_KEY,
    secretKey: SECRET_CANARY,
    maxRetries: 0,
    endpoint: aws.url,
    iamEndpoint: aws.url,
    stsEndpoint: aws.url,
    stsRegion: '',
    ...config,
  };
  const configuration = {
    client: stored as AwsClientConfig | undefined,
    associations: new Map<string, AwsStsAssociation>(),
    async clientConfig() {
      return configuration.client;
    },
    async stsAssociation(accountId: string) {
      return configuration.associations.get(accountId);
    },
  };
  const provider = createAwsProvider({ configuration, clock, environment: {}, ...changes });
  return {
    aws,
    clock,
    configuration,
    provider,
    /** Associates an account with the role `postern` in it. */
    associate: (accountId: string, association: Partial<AwsStsAssociation> = {}) => {
      const stsRole = `arn:aws:iam::${accountId}:role/postern`;
      configuration.associations.set(accountId, { stsRole, ...association });
    },
    async close() {
      await provider.close();
      await aws.close();
    },
  };
}

export type AwsWorld = Awaited<ReturnType<typeof createAwsWorld>>;

/** `i-` and 17 digits. */
export function instanceId(number: number): string {
  return `i-${number.toString(16).padStart(17, '0')}`;
}
