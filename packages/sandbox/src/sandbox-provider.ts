/** The sandbox's cloud as a provider: a fake one, to which a stored STS association opens another account. */
import type { ProviderConfiguration } from '@postern/core-auth';
import type { CallOptions } from '@postern/ports';
import type { Provider } from '@postern/server';
import type { FakeCloud } from '@postern/testkit';

interface Question {
  readonly accountId: string;
}

export function createSandboxProvider(cloud: FakeCloud, configuration: ProviderConfiguration): Provider {
  /** What assuming a role is in the real cloud. */
  async function follow({ accountId }: Question, options?: CallOptions): Promise<void> {
    const association = await configuration.stsAssociation(accountId, options);
    if (association === undefined) cloud.dissociateAccount(accountId);
    else cloud.associateAccount(accountId);
  }
  function following<Q extends Question, A>(ask: (query: Q, options?: CallOptions) => Promise<A>) {
    return async (query: Q, options?: CallOptions): Promise<A> => {
      await follow(query, options);
      return ask(query, options);
    };
  }
  return {
    describeInstance: following(cloud.describeInstance),
    rolesOfProfile: following(cloud.rolesOfProfile),
    describePrincipal: following(cloud.describePrincipal),
    callerIdentity: cloud.callerIdentity,
    builtInCertificates: cloud.defaultCertificates(),
  };
}
