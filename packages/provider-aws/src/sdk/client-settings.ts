/** What every client of the SDK is made with. */
import type { AwsCredentials } from '../options.js';
import type { Settings } from '../settings.js';
import type { SdkHandler } from '../transport/sdk-handler.js';

export interface ClientSettings {
  readonly region: string;
  /** A value, not a function: a client never outlives the credentials that it was made with. */
  readonly credentials: AwsCredentials;
  readonly requestHandler: SdkHandler;
  readonly maxAttempts?: number;
  readonly retryMode: 'standard';
  readonly endpoint?: string;
}

export function clientSettings(
  handler: SdkHandler,
  settings: Settings,
  where: { readonly region: string; readonly credentials: AwsCredentials; readonly endpoint: string | undefined },
): ClientSettings {
  return {
    region: where.region,
    credentials: where.credentials,
    requestHandler: handler,
    retryMode: 'standard',
    ...(settings.maxAttempts === undefined ? {} : { maxAttempts: settings.maxAttempts }),
    ...(where.endpoint === undefined ? {} : { endpoint: where.endpoint }),
  };
}
