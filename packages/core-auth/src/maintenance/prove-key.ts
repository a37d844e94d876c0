/** Does a new key work yet (ROTATE-2)? The provider is eventually consistent: a key is refused for some seconds after it was made. */
import { type AccessKeyPair, type AccessKeys, type CallOptions, type Clock, isProviderError } from '@postern/ports';
import { fromProvider } from '../call-provider.js';
import { AuthError } from '../errors.js';

/** Between tries; 23 s in all. */
export const PROVE_PAUSES_MS: readonly number[] = [500, 1000, 1500, 2000, 3000, 5000, 5000, 5000];

/** After so long no other try begins: a provider adapter may wait for the key by itself at each of them. */
export const PROVE_WITHIN_MS = 30_000;

export interface ProvingPorts {
  readonly clock: Clock;
  readonly accessKeys: Pick<AccessKeys, 'prove'>;
}

/**
 * Returns once the key works.
 *
 * @returns false where it was refused at every try.
 * @throws AuthError `provider_unavailable` where the last try found no answer, and what else `callProvider` throws.
 */
export async function proveKey(
  { accessKeys, clock }: ProvingPorts,
  pair: AccessKeyPair,
  options: CallOptions,
): Promise<boolean> {
  const startedAt = clock.now();
  for (let tries = 0; ; tries += 1) {
    const pause = PROVE_PAUSES_MS[tries];
    let failure: unknown;
    try {
      if (await accessKeys.prove(pair, options)) return true;
    } catch (error) {
      if (!isProviderError(error) || error.code !== 'unavailable') throw fromProvider(error);
      failure = error;
    }
    if (pause === undefined || clock.now() - startedAt >= PROVE_WITHIN_MS) {
      if (failure === undefined) return false;
      throw fromProvider(failure);
    }
    await clock.sleep?.(pause, options);
    if (options.signal?.aborted === true) throw new AuthError('aborted', 'the call was aborted');
  }
}
