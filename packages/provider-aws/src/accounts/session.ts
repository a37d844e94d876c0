/**
 * Everything that was made from one client configuration: credentials, our own account, assumed roles, clients. When the
 * configuration differs it is left behind whole, so that nothing made from an older one answers any more (THREAT-28).
 */

import { type CallOptions, systemClock } from '@postern/ports';
import { LRUCache } from 'lru-cache';
import type { AwsCredentials, AwsProviderLimits, AwsProviderOptions } from '../options.js';
import type { AskSdk } from '../sdk/ask.js';
import { loadCredentialChain } from '../sdk/load-sdk.js';
import { readSettings, type Settings, sameSettings } from '../settings.js';
import type { SdkHandler } from '../transport/sdk-handler.js';
import { type AssumedRoles, createAssumedRoles } from './assumed-roles.js';
import { createOwnAccount, type FindOwnAccount } from './own-account.js';

export interface SessionParts {
  readonly options: AwsProviderOptions;
  readonly limits: AwsProviderLimits;
  readonly handler: SdkHandler;
  readonly ask: AskSdk;
}

/** A client with what it was made for; left behind when the credentials change. */
export interface KeptClient {
  readonly credentials: AwsCredentials;
  readonly client: unknown;
}

export interface Session {
  readonly settings: Settings;
  readonly baseCredentials: BaseCredentials;
  readonly ownAccount: FindOwnAccount;
  readonly assumedRoles: AssumedRoles;
  readonly clients: LRUCache<string, KeptClient>;
}

export interface Sessions {
  /** Reads the configuration; the session of before where it is the same by value. */
  current(options: CallOptions): Promise<Session>;
  /** The next question starts with nothing kept. */
  drop(): void;
}

export function createSessions(parts: SessionParts): Sessions {
  const { configuration, environment, clock = systemClock, credentialChain } = parts.options;
  let kept: Session | undefined;
  const create = (settings: Settings): Session => ({
    settings,
    baseCredentials: createBaseCredentials(settings, parts.handler, credentialChain),
    ownAccount: createOwnAccount(settings, parts.handler, parts.ask),
    assumedRoles: createAssumedRoles(
      { clock, maxAssumedRoles: parts.limits.maxAssumedRoles },
      settings,
      parts.handler,
      parts.ask,
    ),
    clients: new LRUCache({ max: parts.limits.maxClients }),
  });
  return {
    async current(options) {
      const settings = readSettings(await configuration.clientConfig(options), environment);
      if (kept === undefined || !sameSettings(kept.settings, settings)) kept = create(settings);
      return kept;
    },
    drop() {
      kept = undefined;
    },
  };
}

/** Yields credentials that are good now. The chain keeps its own until they age. */
export type BaseCredentials = () => Promise<AwsCredentials>;

function createBaseCredentials(
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
