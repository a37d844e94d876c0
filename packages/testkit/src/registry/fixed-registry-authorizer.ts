/** A `RegistryAuthorizer` over a fixed list of tokens: for tests, sandboxes and embedders with a handful of callers. */
import { compareUtf8, ProviderError, type RegistryAuthorizer, type RegistryCaller } from '@postern/ports';

export interface FixedRegistryToken {
  readonly token: string;
  /** Name for the history and the audit trail. */
  readonly name: string;
  /** Namespaces whose modules it may see. */
  readonly read?: readonly string[] | undefined;
  /** Namespaces whose modules it may see and manage. */
  readonly manage?: readonly string[] | undefined;
}

export interface FixedRegistryAuthorizer extends RegistryAuthorizer {
  /** From now on the token is wrong. */
  revoke(token: string): void;
  /** The next call of any method rejects with `ProviderError` `unavailable`. Called twice, the next two do. */
  failNext(): void;
}

/**
 * Creates an authorizer that knows these tokens and no others.
 *
 * @example
 * ```ts
 * const authorizer = createFixedRegistryAuthorizer([{ token: 't-1', name: 'release-bot', manage: ['acme'] }]);
 * ```
 */
export function createFixedRegistryAuthorizer(tokens: readonly FixedRegistryToken[]): FixedRegistryAuthorizer {
  const known = new Map(tokens.map((each) => [each.token, each]));
  /** Rights belong to the caller that was handed out, not to a name that two tokens may share. */
  const rights = new WeakMap<RegistryCaller, FixedRegistryToken>();
  let failures = 0;

  function enter(): void {
    if (failures === 0) return;
    failures -= 1;
    throw new ProviderError('unavailable', 'injected: the authorizer gave no answer');
  }

  return {
    revoke(token) {
      known.delete(token);
    },
    failNext() {
      failures += 1;
    },
    async identify(token) {
      enter();
      const found = known.get(token);
      if (found === undefined) return undefined;
      const caller: RegistryCaller = { name: found.name, policies: [], holds: () => known.has(token) };
      rights.set(caller, found);
      return caller;
    },
    async isAllowed({ caller, namespace, action }) {
      enter();
      const { read = [], manage = [] } = rights.get(caller) ?? {};
      return manage.includes(namespace) || (action === 'read' && read.includes(namespace));
    },
    async readableNamespaces(caller) {
      enter();
      const { read = [], manage = [] } = rights.get(caller) ?? {};
      return [...new Set([...read, ...manage])].sort(compareUtf8);
    },
  };
}
