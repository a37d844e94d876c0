/**
 * Who may do what in the registry: the auth method's own tokens are its bearer tokens, and the same policies decide
 * (POLICY-5). Reading an organization's modules is `read` or `list` of `registry/<organization>`; managing them,
 * publishing and deleting included, is `update` or `create`.
 */
import { type AuthMethod, isAuthError } from '@postern/core-auth';
import {
  type Awaitable,
  type CallOptions,
  type Capability,
  compareUtf8,
  ProviderError,
  type RegistryAction,
  type RegistryAuthorizer,
  type RegistryCaller,
} from '@postern/ports';

export interface TokenAuthorizerOptions {
  /** Identifies callers, and decides by their policies. */
  readonly method: Pick<AuthMethod, 'useToken' | 'permissionsOf'>;
  /** Organizations that have modules: policies hold patterns and cannot name them. */
  readonly namespaces: (options?: CallOptions) => Awaitable<readonly string[]>;
  /** Organizations that may have modules; any other is never found, not even by `root`. Undefined: all. */
  readonly organizations?: ReadonlySet<string> | undefined;
}

const CAPABILITIES: Readonly<Record<RegistryAction, readonly Capability[]>> = {
  read: ['read', 'list'],
  manage: ['update', 'create'],
};

/** What patterns of policies can match of the registry (POLICY-8). */
export const REGISTRY_POLICY_PATHS: readonly string[] = ['registry/:organization', 'registry/:organization/'];

const ROOT_POLICY = 'root';

/** Names of organizations. Any other text never becomes part of a path that policies match. */
const NAMESPACE = /^[0-9A-Za-z_-]{1,64}$/;

/**
 * Authorizes the registry by the auth method's tokens. A session of the registry identifies its caller once, which spends
 * one use of a token with limited uses; a token bound to addresses is accepted from those only.
 */
export function createTokenAuthorizer(options: TokenAuthorizerOptions): RegistryAuthorizer {
  const { method, namespaces, organizations } = options;

  /** Decides for any organization, after one read of the caller's policies. */
  async function deciderOf({ policies }: RegistryCaller) {
    const isRoot = policies.includes(ROOT_POLICY);
    const permissions = isRoot ? undefined : await available(() => method.permissionsOf(policies));
    return async (namespace: string, action: RegistryAction): Promise<boolean> => {
      if (!NAMESPACE.test(namespace) || organizations?.has(namespace) === false) return false;
      if (permissions === undefined) return true;
      for (const capability of CAPABILITIES[action]) {
        if (await permissions.isAllowed(`registry/${namespace}`, capability)) return true;
      }
      return false;
    };
  }

  return {
    async identify(token, { requestId = 'registry', peerAddress, signal } = {}): Promise<RegistryCaller | undefined> {
      const holder = await available(() => method.useToken(token, { requestId, peerAddress, signal }));
      if (holder === undefined) return undefined;
      return { name: holder.name, policies: holder.policies, holds: () => available(() => holder.holds()) };
    },
    isAllowed: async ({ caller, namespace, action }) => (await deciderOf(caller))(namespace, action),
    async readableNamespaces(caller, call) {
      const known = await namespaces(call);
      const decide = await deciderOf(caller);
      const readable = await Promise.all(known.map((namespace) => decide(namespace, 'read')));
      return known.filter((_namespace, at) => readable[at]).sort(compareUtf8);
    },
  };
}

/** @throws ProviderError `unavailable` where the auth method could not find out: never a denial. */
async function available<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isAuthError(error) || error.kind !== 'unavailable') throw error;
    const { retryAfterSeconds } = error;
    throw new ProviderError('unavailable', `the caller could not be looked up: ${error.code}`, {
      cause: error,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
}
