/**
 * Access keys of the user whom a pair belongs to, for rotate-root (ROTATE-2). Each call signs with
 * the pair it is given and names no user: IAM takes the one who signs, so no permission beyond that user's own keys is needed.
 */
import { type AccessKeyPair, type AccessKeys, type CallOptions, ProviderError } from '@postern/ports';
import type { Sessions } from '../accounts/session.js';
import type { AwsCredentials, KeyProof } from '../options.js';
import { iamRegionOf } from '../partition.js';
import type { AskSdk } from '../sdk/ask.js';
import { type ClientSettings, clientSettings } from '../sdk/client-settings.js';
import { loadIam, loadSts } from '../sdk/load-sdk.js';
import { errorCodeOf, refusesCredentials } from '../sdk/sdk-error.js';
import type { Settings } from '../settings.js';
import type { SdkHandler } from '../transport/sdk-handler.js';
import { sleep, withDeadline } from '../waiting.js';

export interface AccessKeysParts {
  readonly handler: SdkHandler;
  readonly ask: AskSdk;
  readonly sessions: Sessions;
  readonly totalTimeoutMs: number;
  readonly proof: KeyProof;
  readonly loadTransport: () => Promise<void>;
}

const MAX_DELAY_MS = 2_000;

export function createAccessKeys(parts: AccessKeysParts): AccessKeys {
  const { handler, ask, sessions, totalTimeoutMs } = parts;

  /** Settings of a client that signs with the given pair, whatever else is configured. */
  async function iamSettings(pair: AccessKeyPair, call: CallOptions): Promise<ClientSettings> {
    const { settings } = await sessions.current(call);
    const region = iamRegionOf(settings.homePartition) ?? settings.stsRegion;
    return clientSettings(handler, settings, {
      region,
      credentials: credentialsOf(pair),
      endpoint: settings.iamEndpoint,
    });
  }

  const within = async <T>(options: CallOptions | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    await Promise.all([loadIam(), parts.loadTransport()]);
    return withDeadline(totalTimeoutMs, options?.signal, work);
  };

  return {
    create: (current, options) =>
      within(options, async (signal) => {
        const { CreateAccessKeyCommand, IAMClient } = await loadIam();
        // Never sent twice: a lost answer must not leave two new keys.
        const client = new IAMClient({ ...(await iamSettings(current, { signal })), maxAttempts: 1 });
        const answer = await ask('IAM CreateAccessKey', async (call) => {
          try {
            return await client.send(new CreateAccessKeyCommand({}), call);
          } catch (error) {
            // Two are all that a user may have: an answer about the user, not about us.
            if (errorCodeOf(error) === 'LimitExceeded') return undefined;
            throw error;
          }
        });
        if (answer === undefined) return undefined;
        const { AccessKeyId, SecretAccessKey } = answer.AccessKey ?? {};
        if (!AccessKeyId || !SecretAccessKey) {
          throw new ProviderError('unavailable', 'IAM CreateAccessKey: an answer without a key');
        }
        return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey };
      }),

    async prove(pair, options) {
      await Promise.all([loadSts(), parts.loadTransport()]);
      return withDeadline(parts.proof.withinMs + totalTimeoutMs, options?.signal, async (signal) => {
        const { settings } = await sessions.current({ signal });
        const endsAt = performance.now() + parts.proof.withinMs;
        for (let delayMs = parts.proof.delayMs; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
          if (await works(handler, ask, settings, pair)) return true;
          if (performance.now() + delayMs > endsAt) return false;
          await sleep(delayMs, signal);
        }
      });
    },

    list: (current, options) =>
      within(options, async (signal) => {
        const { IAMClient, ListAccessKeysCommand } = await loadIam();
        const client = new IAMClient(await iamSettings(current, { signal }));
        const ids: string[] = [];
        let marker: string | undefined;
        do {
          const input = marker === undefined ? {} : { Marker: marker };
          const page = await ask('IAM ListAccessKeys', (call) => client.send(new ListAccessKeysCommand(input), call));
          for (const { AccessKeyId } of page.AccessKeyMetadata ?? [])
            if (AccessKeyId !== undefined) ids.push(AccessKeyId);
          marker = page.IsTruncated === true ? page.Marker : undefined;
        } while (marker !== undefined && !signal.aborted);
        return ids;
      }),

    delete: (current, accessKeyId, options) =>
      within(options, async (signal) => {
        const { DeleteAccessKeyCommand, IAMClient } = await loadIam();
        const client = new IAMClient(await iamSettings(current, { signal }));
        const command = new DeleteAccessKeyCommand({ AccessKeyId: accessKeyId });
        await ask('IAM DeleteAccessKey', async (call) => {
          try {
            await client.send(command, call);
          } catch (error) {
            if (errorCodeOf(error) !== 'NoSuchEntity') throw error;
          }
        });
      }),
  };
}

/** One GetCallerIdentity with the pair: false where the provider does not take it, or not yet. */
async function works(handler: SdkHandler, ask: AskSdk, settings: Settings, pair: AccessKeyPair): Promise<boolean> {
  const { GetCallerIdentityCommand, STSClient } = await loadSts();
  const where = { region: settings.stsRegion, credentials: credentialsOf(pair), endpoint: settings.stsEndpoint };
  const client = new STSClient(clientSettings(handler, settings, where));
  return ask('STS GetCallerIdentity', async (call) => {
    try {
      const { Account } = await client.send(new GetCallerIdentityCommand({}), call);
      return Account !== undefined;
    } catch (error) {
      if (refusesCredentials(error)) return false;
      throw error;
    }
  });
}

function credentialsOf({ accessKeyId, secretAccessKey }: AccessKeyPair): AwsCredentials {
  return { accessKeyId, secretAccessKey };
}
