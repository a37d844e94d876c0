/** AWS as the server's provider: what `postern serve` asks unless the configuration names a module of the operator's own. */
import { createProviderConfiguration } from '@postern/core-auth';
import type { Storage } from '@postern/ports';
import type { Provider } from './provider.js';

/**
 * Makes the provider. It reads client configuration and STS associations from the store at every question, and its
 * credentials from them, from `CLOUD_*`, then from the SDK's own chain (PROVIDER-3). Connects to nothing yet.
 *
 * @param environment where `CLOUD_ACCESS_KEY`, `CLOUD_SECRET_KEY`, `CLOUD_REGION` are read.
 */
export async function createAws(
  storage: Storage,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Provider> {
  // Loaded here: a server with a provider of its own never pays for it.
  const { createAwsProvider } = await import('@postern/provider-aws');
  return createAwsProvider({
    configuration: createProviderConfiguration(storage),
    environment,
  });
}
