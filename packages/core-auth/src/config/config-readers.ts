/** What is configured, with defaults where nothing is stored (CONFIG-6): for logins and for provider adapters. */
import type { CallOptions } from '@postern/ports';
import type { Collections } from '../method-context.js';
import { CLIENT_CONFIG_ID, IDENTITY_CONFIG_ID } from '../store/collection.js';
import { DEFAULT_IDENTITY_CONFIG, type IdentityConfig } from '../tokens/alias.js';
import {
  type ClientConfig,
  DEFAULT_CLIENT_CONFIG,
  DEFAULT_TIDY_CONFIG,
  type StsAssociation,
  type TidyConfig,
  type TidyTarget,
} from './records.js';

/** Each call reads storage, so that a change counts at once in every process. */
export interface ConfigReaders {
  /** Holds the secret key. */
  client(options?: CallOptions): Promise<ClientConfig>;
  identity(options?: CallOptions): Promise<IdentityConfig>;
  /** Undefined where the account has none. */
  stsAssociation(accountId: string, options?: CallOptions): Promise<StsAssociation | undefined>;
  tidy(target: TidyTarget, options?: CallOptions): Promise<TidyConfig>;
}

/** @throws AuthError `internal` from any reader where the stored record does not decode; StorageError as storage does. */
export function createConfigReaders(collections: Collections): ConfigReaders {
  const { clientConfig, identityConfig, stsAssociations, tidyConfigs } = collections;
  return {
    client: async (options) => (await clientConfig.get(CLIENT_CONFIG_ID, options))?.value ?? DEFAULT_CLIENT_CONFIG,
    identity: async (options) =>
      (await identityConfig.get(IDENTITY_CONFIG_ID, options))?.value ?? DEFAULT_IDENTITY_CONFIG,
    stsAssociation: async (accountId, options) => (await stsAssociations.get(accountId, options))?.value,
    tidy: async (target, options) => (await tidyConfigs.get(target, options))?.value ?? DEFAULT_TIDY_CONFIG,
  };
}
