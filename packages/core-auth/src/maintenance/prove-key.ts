/** Does a new key work yet (spec 4 rule 1, decision R20)? The provider is eventually consistent: a key is refused for some seconds after it was made. */
import { type AccessKeyPair, type AccessKeys, type CallOptions, isProviderError } from '@postern/ports';
import { AuthError } from '../errors.js';
import { askProvider } from '../login/provider-failure.js';
import type { AuthPorts } from '../options.js';

/** Between tries; 23 s in all. */
export const PROVE_PAUSES_MS: readonly number[] = [500, 1000, 1500, 2000, 3000, 5000, 5000, 5000];

export interface ProvingPorts {
  readonly accessKeys: Pick<AccessKeys, 'prove'>;
  readonly sleep: AuthPorts['sleep'] | undefined;
}

/**
 * Returns once the key works.
 *
 * @returns false where it was refused at every try.
 * @throws AuthError `provider_unavailable` where the last try found no answer, and what else `askProvider` throws.
 */
export async function proveKey(
  { accessKeys, sleep }: ProvingPorts,
  pair: AccessKeyPair,
  options: CallOptions,
): Promise<boolean> {
  for (const [tries, pause] of [0, ...PROVE_PAUSES_MS].entries()) {
    if (pause > 0) await sleep?.(pause, options);
    if (options.signal?.aborted === true) throw new AuthError('aborted', 'the call was given up');
    const isLast = tries === PROVE_PAUSES_MS.length;
    try {
      if (await accessKeys.prove(pair, options)) return true;
    } catch (error) {
      const mayPass = isProviderError(error) && error.code === 'unavailable';
      if (isLast || !mayPass) return askProvider(() => Promise.reject(error));
    }
  }
  return false;
}
