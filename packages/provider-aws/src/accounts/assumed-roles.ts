/**
 * Credentials of the role that an account's association names (ASSOC-1, ASSOC-3): assumed once for all who wait, kept
 * until they age, bounded in number. Kept by everything that they depend on, so that no other account, role or external id
 * ever gets them (THREAT-28).
 */
import { createSingleFlight } from '@postern/kernel';
import { type Clock, type EpochMillis, isProviderError, ProviderError } from '@postern/ports';
import { LRUCache } from 'lru-cache';
import { parseProviderArn } from '../iam/iam-arn.js';
import type { AwsCredentials } from '../options.js';
import type { AskSdk } from '../sdk/ask.js';
import { clientSettings } from '../sdk/client-settings.js';
import { loadSts } from '../sdk/load-sdk.js';
import type { Settings } from '../settings.js';
import type { SdkHandler } from '../transport/sdk-handler.js';

/** The shortest that STS gives. */
const DURATION_SECONDS = 900;
/** New ones are asked for so long before the old ones end. */
const REFRESH_BEFORE_MS = 180_000;
/** With less than this left a call could outlive its credentials. */
const LAST_USE_BEFORE_MS = 30_000;

export interface RoleToAssume {
  readonly roleArn: string;
  readonly externalId: string | undefined;
  /** That the role must be in. */
  readonly partition: string;
  readonly accountId: string;
}

export interface AssumedRoles {
  /** @throws ProviderError `denied` when we may not assume the role. */
  credentials(role: RoleToAssume, base: AwsCredentials): Promise<AwsCredentials>;
  /** Drops what the provider took no longer. */
  forget(credentials: AwsCredentials): void;
  readonly size: number;
}

interface Kept {
  readonly credentials: AwsCredentials;
  readonly endsAt: EpochMillis;
}

export function createAssumedRoles(
  options: { readonly clock: Clock; readonly maxAssumedRoles: number },
  settings: Settings,
  handler: SdkHandler,
  ask: AskSdk,
): AssumedRoles {
  const kept = new LRUCache<string, Kept>({ max: options.maxAssumedRoles });
  const keyOf = new WeakMap<AwsCredentials, string>();
  const flights = createSingleFlight<AwsCredentials>();

  async function assume(key: string, role: RoleToAssume, base: AwsCredentials): Promise<AwsCredentials> {
    const { AssumeRoleCommand, STSClient } = await loadSts();
    const where = { region: settings.stsRegion, credentials: base, endpoint: settings.stsEndpoint };
    const client = new STSClient(clientSettings(handler, settings, where));
    const askedAt = options.clock.now();
    const input = {
      RoleArn: role.roleArn,
      RoleSessionName: `postern-${askedAt}`,
      DurationSeconds: DURATION_SECONDS,
      ...(role.externalId === undefined ? {} : { ExternalId: role.externalId }),
    };
    const answer = await ask('STS AssumeRole', (call) => client.send(new AssumeRoleCommand(input), call), 'sts');
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answer.Credentials ?? {};
    const arn = parseProviderArn(answer.AssumedRoleUser?.Arn);
    const isOurs = arn?.accountId === role.accountId && arn.partition === role.partition;
    if (!isOurs || !AccessKeyId || !SecretAccessKey || !SessionToken || Expiration === undefined) {
      throw new ProviderError('unavailable', 'STS AssumeRole: not an answer for the role that was asked for');
    }
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
    // Whichever is sooner: a slow local clock must not extend them.
    const endsAt = Math.min(Expiration.getTime(), askedAt + DURATION_SECONDS * 1000);
    kept.set(key, { credentials, endsAt });
    keyOf.set(credentials, key);
    return credentials;
  }

  return {
    async credentials(role, base) {
      const key = [role.partition, role.accountId, role.roleArn, role.externalId ?? '', base.accessKeyId].join(' ');
      const known = kept.get(key);
      const leftMs = known === undefined ? 0 : known.endsAt - options.clock.now();
      if (known !== undefined && leftMs > REFRESH_BEFORE_MS) return known.credentials;
      try {
        return await flights.run(key, () => assume(key, role, base));
      } catch (error) {
        // STS being away for a moment is no reason to throw away what still holds; a refusal is.
        const isAway = isProviderError(error) && error.code === 'unavailable';
        if (known !== undefined && isAway && leftMs > LAST_USE_BEFORE_MS) return known.credentials;
        throw error;
      }
    },
    forget(credentials) {
      const key = keyOf.get(credentials);
      if (key !== undefined && kept.get(key)?.credentials === credentials) kept.delete(key);
    },
    get size() {
      return kept.size;
    },
  };
}
