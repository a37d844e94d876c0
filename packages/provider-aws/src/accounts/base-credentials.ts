/** Our own credentials: configured, then `CLOUD_*`, then the SDK's own chain (PROVIDER-3). */
import type { AwsCredentials } from '../options.js';
import { loadCredentialChain } from '../sdk/load-sdk.js';
import type { Settings } from '../settings.js';
import type { SdkHandler } from '../transport/sdk-handler.js';

/** Yields credentials that are good now. The chain keeps its own until they age. */
export type BaseCredentials = () => Promise<AwsCredentials>;

export function createBaseCredentials(
  settings: Settings,
  handler: SdkHandler,
  chain: (() => Promise<AwsCredentials>) | undefined,
): BaseCredentials {
  const { staticCredentials } = settings;
  if (staticCredentials !== undefined) return async () => staticCredentials;
  if (chain !== undefined) return chain;
  let sdkChain: Promise<() => Promise<AwsCredentials>> | undefined;
  return async () => {
    sdkChain ??= loadCredentialChain().then(({ defaultProvider }) => {
      // Tokens of web identity are exchanged over our transport, at the STS of our region.
      return defaultProvider({ clientConfig: { region: settings.stsRegion, requestHandler: handler } });
    });
    return (await sdkChain)();
  };
}
