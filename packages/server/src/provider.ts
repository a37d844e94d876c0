/** Where the server learns about the cloud: AWS, or the operator's own module, named in the configuration. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuiltInCertificate, createProviderConfiguration, type ProviderConfiguration } from '@postern/core-auth';
import type { Cloud, Storage } from '@postern/ports';
import { ConfigError } from './config/config-error.js';

/** The cloud that the server asks, and what comes with it: what a module's `createProvider` returns, or a promise of it. */
export interface Provider extends Cloud {
  /** Certificates to trust instead of those of AWS: for a private cloud, or for tests. */
  readonly builtInCertificates?: readonly BuiltInCertificate[];
  /** Called after a client configuration or STS association was stored or deleted: drop what was made from it. */
  readonly onProviderConfigChange?: () => void;
  /** Called once the server has stopped. */
  readonly close?: () => void | Promise<void>;
}

/** What `createProvider` is called with. */
export interface ProviderContext {
  /** `provider.options` of the configuration file, as it stands. */
  readonly options: unknown;
  /** Folder of the configuration file. */
  readonly directory: string;
  /** Reads the stored client configuration and STS associations. Holds secrets. */
  readonly configuration: ProviderConfiguration;
}

/**
 * Loads the module and makes the provider.
 *
 * @throws ConfigError when it cannot be loaded, does not export what it should, or throws.
 */
export async function loadProvider(
  named: { readonly module: string; readonly options?: unknown },
  { directory, configuration }: Omit<ProviderContext, 'options'>,
): Promise<Provider> {
  const file = resolve(directory, named.module);
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigError([
      `provider.module: ${file} could not be loaded (${error instanceof Error ? error.message : error})`,
    ]);
  }
  const create = memberOf(loaded, 'createProvider');
  if (typeof create !== 'function') throw new ConfigError([`provider.module: ${file} does not export createProvider`]);
  const context: ProviderContext = { options: named.options, directory, configuration };
  let provider: unknown;
  try {
    provider = await create(context);
  } catch (error) {
    // What the module says is wrong is for the operator, who wrote or named it.
    const told = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`provider.module: createProvider of ${file} failed (${told})`]);
  }
  for (const method of CLOUD_METHODS) {
    if (typeof memberOf(provider, method) === 'function') continue;
    throw new ConfigError([`provider.module: createProvider of ${file} returned an object without ${method}()`]);
  }
  // Every required member was found just now; their behaviour is the operator's to answer for.
  return provider as Provider;
}

const CLOUD_METHODS = ['describeInstance', 'rolesOfProfile', 'describePrincipal'] as const;

function memberOf(value: unknown, name: string): unknown {
  // A module namespace and a provider object are both records of unknown members.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/**
 * Makes the provider. It reads client configuration and STS associations from the store at every question, and its
 * credentials from them, from `CLOUD_*`, then from the SDK's own chain (PROVIDER-3). Connects to nothing yet.
 *
 * @param environment where `CLOUD_ACCESS_KEY`, `CLOUD_SECRET_KEY`, `CLOUD_REGION` are read.
 */
export async function createAws(
  storage: Storage,
  environment: Readonly<Record<string, string | undefined>>,
  configuration: ProviderConfiguration = createProviderConfiguration(storage),
): Promise<Provider> {
  // Loaded here: a server with a provider of its own never pays for it.
  const { createAwsProvider } = await import('@postern/provider-aws');
  return createAwsProvider({ configuration, environment });
}
