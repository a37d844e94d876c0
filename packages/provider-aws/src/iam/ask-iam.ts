/** Calls to IAM of an account, through its kept client; the same question under way is asked once. */

import type { IAMClient } from '@aws-sdk/client-iam';
import { createSingleFlight, type SingleFlight } from '@postern/kernel';
import { type CallOptions, ProviderError } from '@postern/ports';
import type { Account, FindAccess } from '../accounts/account-access.js';
import { type ClientKind, keptClient, noticingRefusal, placeOf } from '../accounts/kept-client.js';
import { iamRegionOf } from '../partition.js';
import type { AskSdk } from '../sdk/ask.js';
import { loadIam, loadSts } from '../sdk/load-sdk.js';
import { errorCodeOf } from '../sdk/sdk-error.js';
import type { SdkHandler } from '../transport/sdk-handler.js';
import { withDeadline } from '../waiting.js';

export interface AskIamParts {
  readonly handler: SdkHandler;
  readonly ask: AskSdk;
  readonly findAccess: FindAccess;
  readonly totalTimeoutMs: number;
  readonly loadTransport: () => Promise<void>;
}

/** One question: `id` tells it apart from all others of the account. */
export interface IamQuestion<T> {
  readonly what: string;
  readonly id: string;
  send(client: IAMClient, options: { abortSignal: AbortSignal }): Promise<T>;
}

interface IamEntry {
  readonly client: IAMClient;
  readonly flights: SingleFlight<unknown>;
}

/**
 * @returns the answer, or undefined where IAM has no such thing.
 * @throws ProviderError when it could not find out.
 */
export type AskIam = <T>(account: Account, question: IamQuestion<T>, options?: CallOptions) => Promise<T | undefined>;

export function createAskIam({ handler, ask, findAccess, totalTimeoutMs, loadTransport }: AskIamParts): AskIam {
  return async <T>(account: Account, question: IamQuestion<T>, options?: CallOptions) => {
    const [{ IAMClient }] = await Promise.all([loadIam(), loadSts(), loadTransport()]);
    return withDeadline(totalTimeoutMs, options?.signal, async (signal) => {
      const region = iamRegionOf(account.partition);
      if (region === undefined) throw new ProviderError('misconfigured', 'unknown partition');
      const access = await findAccess(account, { signal });
      const kind: ClientKind<IamEntry> = {
        service: 'iam',
        endpoint: ({ session }) => session.settings.iamEndpoint,
        create: (settings) => ({ client: new IAMClient(settings), flights: createSingleFlight() }),
      };
      const { client, flights } = keptClient(handler, kind, access, region);
      const send = (): Promise<T | undefined> =>
        ask(
          question.what,
          (call) => noticingRefusal(access, () => noneOrThrow(() => question.send(client, call))),
          placeOf('iam', region, access),
        );
      // What is under way by this id was sent by the same code, and gives the same type.
      return flights.run(question.id, send) as Promise<T | undefined>;
    });
  };
}

async function noneOrThrow<T>(send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await send();
  } catch (error) {
    if (errorCodeOf(error) === 'NoSuchEntity') return undefined;
    throw error;
  }
}
