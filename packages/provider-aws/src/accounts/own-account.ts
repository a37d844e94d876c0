/** Whose credentials are ours: one GetCallerIdentity, remembered for as long as the credentials are the same (ASSOC-4). */
import { createSingleFlight } from '@postern/kernel';
import { ProviderError } from '@postern/ports';
import { parseProviderArn } from '../iam/iam-arn.js';
import type { AwsCredentials } from '../options.js';
import type { AskSdk } from '../sdk/ask.js';
import { clientSettings } from '../sdk/client-settings.js';
import { loadSts } from '../sdk/load-sdk.js';
import type { Settings } from '../settings.js';
import type { SdkHandler } from '../transport/sdk-handler.js';

export interface OwnAccount {
  readonly partition: string;
  readonly accountId: string;
}

export type FindOwnAccount = (credentials: AwsCredentials) => Promise<OwnAccount>;

export function createOwnAccount(settings: Settings, handler: SdkHandler, ask: AskSdk): FindOwnAccount {
  const flights = createSingleFlight<OwnAccount>();
  let known: { readonly accessKeyId: string; readonly account: OwnAccount } | undefined;
  return async (credentials) => {
    const { accessKeyId } = credentials;
    if (known?.accessKeyId === accessKeyId) return known.account;
    return flights.run(accessKeyId, async () => {
      const account = await askWhoWeAre(settings, handler, ask, credentials);
      known = { accessKeyId, account };
      return account;
    });
  };
}

async function askWhoWeAre(
  settings: Settings,
  handler: SdkHandler,
  ask: AskSdk,
  credentials: AwsCredentials,
): Promise<OwnAccount> {
  const { STSClient, GetCallerIdentityCommand } = await loadSts();
  const where = { region: settings.stsRegion, credentials, endpoint: settings.stsEndpoint };
  const client = new STSClient(clientSettings(handler, settings, where));
  const answer = await ask(
    'STS GetCallerIdentity',
    (options) => client.send(new GetCallerIdentityCommand({}), options),
    'sts',
  );
  const arn = parseProviderArn(answer.Arn);
  if (arn === undefined || arn.accountId !== answer.Account) {
    throw new ProviderError('unavailable', 'STS GetCallerIdentity: an answer that names no account');
  }
  return { partition: arn.partition, accountId: arn.accountId };
}
