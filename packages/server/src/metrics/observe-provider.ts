/** A provider whose calls are timed: which call, how it ended, how long it took. */
import { isProviderError } from '@postern/ports';
import type { Provider } from '../provider.js';

/** @param outcome `ok`, the code of a ProviderError, or `failed`. */
export type ObserveCall = (call: string, outcome: string, seconds: number) => void;

export function observeProvider(provider: Provider, observe: ObserveCall): Provider {
  const timed = async <T>(call: string, work: () => T | PromiseLike<T>): Promise<T> => {
    const startedAt = performance.now();
    const end = (outcome: string) => observe(call, outcome, (performance.now() - startedAt) / 1000);
    try {
      const answer = await work();
      end('ok');
      return answer;
    } catch (error) {
      end(isProviderError(error) ? error.code : 'failed');
      throw error;
    }
  };
  const { callerIdentity, accessKeys, builtInCertificates } = provider;
  return {
    describeInstance: (...asked) => timed('describe_instance', () => provider.describeInstance(...asked)),
    rolesOfProfile: (...asked) => timed('roles_of_profile', () => provider.rolesOfProfile(...asked)),
    describePrincipal: (...asked) => timed('describe_principal', () => provider.describePrincipal(...asked)),
    ...(callerIdentity === undefined
      ? {}
      : { callerIdentity: { send: (...asked) => timed('caller_identity', () => callerIdentity.send(...asked)) } }),
    ...(accessKeys === undefined
      ? {}
      : {
          accessKeys: {
            create: (...asked) => timed('access_key_create', () => accessKeys.create(...asked)),
            prove: (...asked) => timed('access_key_prove', () => accessKeys.prove(...asked)),
            list: (...asked) => timed('access_key_list', () => accessKeys.list(...asked)),
            delete: (...asked) => timed('access_key_delete', () => accessKeys.delete(...asked)),
          },
        }),
    ...(builtInCertificates === undefined ? {} : { builtInCertificates }),
    onProviderConfigChange: () => provider.onProviderConfigChange?.(),
    close: () => provider.close?.(),
  };
}
