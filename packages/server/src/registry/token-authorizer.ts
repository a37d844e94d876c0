/**
 * Postern's own tokens at the registry: an instance that logged in reads the modules that its policies grant. A policy
 * speaks of `registry/<organization>`: `read` sees and downloads, `update` manages as well (decision K5).
 */
import { type AuthMethod, isAuthError } from '@postern/core-auth';
import {
  type Authorizer,
  type Awaitable,
  type CallOptions,
  compareUtf8,
  ProviderError,
  type RegistryAuthorizer,
  type RegistryCaller,
} from '@postern/ports';

export interface TokenAuthorizerOptions {
  readonly method: Pick<AuthMethod, 'call'>;
  /** Decides by policies; without one only `root` may do anything. */
  readonly authorizer?: Authorizer | undefined;
  /** Organizations that lists walk through: policies hold patterns and cannot name them. */
  readonly namespaces: (options?: CallOptions) => Awaitable<readonly string[]>;
  /** Ties the look-up of a token to the audit trail. Default: `crypto.randomUUID`. */
  readonly nextRequestId?: () => string;
}

/** The policy that may do everything. */
const ROOT = 'root';

/**
 * A registry's authorizer over the auth method's tokens. Each call spends a use of a token whose uses are limited; a token
 * that is bound to addresses is no caller here, because the registry does not pass the address on.
 */
export function createTokenAuthorizer(options: TokenAuthorizerOptions): RegistryAuthorizer {
  const { method, authorizer, namespaces, nextRequestId = () => crypto.randomUUID() } = options;

  async function isAllowed(caller: RegistryCaller, namespace: string, action: 'read' | 'manage'): Promise<boolean> {
    if (caller.policies.includes(ROOT)) return true;
    const capability = action === 'read' ? 'read' : 'update';
    return (
      (await authorizer?.isAllowed({ policies: caller.policies, path: `registry/${namespace}`, capability })) === true
    );
  }

  return {
    async identify(token, { signal } = {}) {
      try {
        const { data } = await method.call({
          operation: 'token.lookup-self',
          params: {},
          fields: {},
          token,
          requestId: nextRequestId(),
          peerAddress: undefined,
          ...(signal === undefined ? {} : { signal }),
        });
        return callerOf(data);
      } catch (error) {
        if (isAuthError(error) && error.kind === 'forbidden') return undefined;
        if (isAuthError(error) && error.kind === 'unavailable') {
          throw new ProviderError('unavailable', 'the token could not be looked up', { cause: error });
        }
        throw error;
      }
    },
    isAllowed: ({ caller, namespace, action }) => isAllowed(caller, namespace, action),
    async readableNamespaces(caller, callOptions) {
      const all = await namespaces(callOptions);
      const rights = await Promise.all(all.map((namespace) => isAllowed(caller, namespace, 'read')));
      return all.filter((_, at) => rights[at] === true).sort(compareUtf8);
    },
  };
}

function callerOf(data: Readonly<Record<string, unknown>> | undefined): RegistryCaller | undefined {
  const { display_name: displayName, entity_id: entity, policies } = data ?? {};
  if (!Array.isArray(policies)) return undefined;
  const name = [displayName, entity].find((each) => typeof each === 'string' && each !== '');
  return {
    name: typeof name === 'string' ? name : 'token',
    policies: policies.filter((policy) => typeof policy === 'string'),
  };
}
