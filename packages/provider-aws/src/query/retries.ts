/** Attempts of one call, by the SDK's own standard strategy: what is tried again, how often, and after which wait. */
import { TransportError } from '../transport/transport-error.js';
import { CloudRefusal } from './cloud-refusal.js';

/**
 * @returns what the first attempt that succeeds does
 * @throws what the last attempt threw
 */
export type Retries = <T>(send: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** @param maxAttempts undefined: as `AWS_MAX_ATTEMPTS` or the shared file says, else three */
export function createRetries(maxAttempts: number | undefined): Retries {
  /** From the first failure on: it counts failures, and takes 30 ms to load. */
  let strategy: Strategy | undefined;
  let loading: Promise<Strategy> | undefined;

  /** After the wait. @returns undefined where it is not tried again */
  async function tokenAfter(error: unknown, token: Token | undefined): Promise<Token | undefined> {
    loading ??= loadStrategy(maxAttempts);
    strategy ??= await loading;
    return strategy.tokenAfter(error, token);
  }

  return async (send, signal) => {
    for (let token: Token | undefined; ; ) {
      try {
        const answer = await send();
        strategy?.recordSuccess(token);
        return answer;
      } catch (error) {
        token = await tokenAfter(error, token);
        if (token === undefined || signal.aborted) throw error;
      }
    }
  };
}

type Sdk = typeof import('@smithy/core/retry');
type Token = Awaited<ReturnType<InstanceType<Sdk['StandardRetryStrategy']>['acquireInitialRetryToken']>>;

interface Strategy {
  tokenAfter(error: unknown, token: Token | undefined): Promise<Token | undefined>;
  recordSuccess(token: Token | undefined): void;
}

async function loadStrategy(maxAttempts: number | undefined): Promise<Strategy> {
  const [sdk, { loadConfig }] = await Promise.all([import('@smithy/core/retry'), import('@smithy/core/config')]);
  const configured = loadConfig(sdk.NODE_MAX_ATTEMPT_CONFIG_OPTIONS);
  const strategy = new sdk.StandardRetryStrategy(async () => maxAttempts ?? configured());
  const first = await strategy.acquireInitialRetryToken('');
  return {
    async tokenAfter(error, token = first) {
      if (!(error instanceof CloudRefusal || error instanceof TransportError)) return undefined;
      const retryAfterHint = error instanceof CloudRefusal ? sdk.getRetryAfterHint(error.$response) : undefined;
      const errorInfo = {
        // Its type of errors only knows causes that are errors themselves; these have none.
        errorType: errorTypeOf(sdk, error as SdkError),
        ...(retryAfterHint === undefined ? {} : { retryAfterHint }),
      };
      try {
        return await strategy.refreshRetryTokenForRetry(token, errorInfo);
      } catch {
        // It throws where it was tried often enough, or will not be another time.
        return undefined;
      }
    },
    recordSuccess: (token = first) => strategy.recordSuccess(token),
  };
}

type SdkError = Parameters<Sdk['isServerError']>[0];

function errorTypeOf(sdk: Sdk, error: SdkError): 'THROTTLING' | 'TRANSIENT' | 'SERVER_ERROR' | 'CLIENT_ERROR' {
  if (sdk.isThrottlingError(error)) return 'THROTTLING';
  if (sdk.isTransientError(error)) return 'TRANSIENT';
  return sdk.isServerError(error) ? 'SERVER_ERROR' : 'CLIENT_ERROR';
}
