/** A fake cloud as a provider that lets in what a stored STS association opens, and no other account (ASSOC-1). */
import type { ProviderConfiguration } from '@postern/core-auth';
import type { CallOptions, Cloud } from '@postern/ports';
import type { FakeCloud } from '@postern/testkit';

interface Question {
  readonly accountId: string;
}

export function createFollowingProvider(cloud: FakeCloud, configuration: ProviderConfiguration): Cloud {
  function following<Q extends Question, A>(ask: (query: Q, options?: CallOptions) => Promise<A>) {
    return async (query: Q, options?: CallOptions): Promise<A> => {
      const association = await configuration.stsAssociation(query.accountId, options);
      if (association === undefined) cloud.dissociateAccount(query.accountId);
      else cloud.associateAccount(query.accountId);
      return ask(query, options);
    };
  }
  return {
    describeInstance: following(cloud.describeInstance),
    rolesOfProfile: following(cloud.rolesOfProfile),
    describePrincipal: following(cloud.describePrincipal),
    callerIdentity: cloud.callerIdentity,
  };
}
