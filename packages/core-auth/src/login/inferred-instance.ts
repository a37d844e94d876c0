/** The inference step of a login: asks about the instance that the caller claims to be, then decides (INFER-1, INFER-2, INFER-4, INFER-5, PROVIDER-1, LOGIN-7). */
import { type Cloud, type InstanceFacts, isProviderError, ProviderError } from '@postern/ports';
import type { CallContext } from '../call.js';
import { callProvider, fromProvider } from '../call-provider.js';
import type { Principal } from '../principals/principal.js';
import { refuse } from '../refuse.js';
import type { Role } from '../roles/role.js';
import { type BindingFacts, decideInstance, needsProfileRoles } from './decide-bindings.js';
import {
  arnsOfRoles,
  decideInferredProfile,
  instanceOfSession,
  isOwnProfile,
  type ProfileCheck,
  type ProfileRoles,
} from './inference.js';

export interface InferredInstance {
  readonly entityId: string;
  readonly region: string;
  /** What stood for the lookup of the instance's profile where the server is not permitted one. */
  readonly profileCheck: ProfileCheck;
}

/** Asks about one caller; each question once, however often a conflict makes the login decide again. */
export interface Inference {
  /**
   * With the facts that the bindings of the role are compared with.
   *
   * @throws AuthError `inferred_entity_invalid`, `inferred_profile_missing`, `inferred_profile_mismatch`,
   *   `inferred_profile_unchecked`, `inferred_profile_unknown`, the instance codes, and those of `callProvider`.
   */
  find(role: Role): Promise<InferredInstance & { readonly bindingFacts: BindingFacts }>;
}

export function createInference(
  cloud: Pick<Cloud, 'describeInstance' | 'rolesOfProfile'>,
  principal: Principal,
  sessionName: string | undefined,
  call: CallContext,
): Inference {
  const { accountId } = principal;
  const facts = new Map<string, Promise<InstanceFacts>>();
  const profiles = new Map<string, Promise<ProfileRoles>>();

  async function describe(instanceId: string, region: string): Promise<InstanceFacts> {
    const query = { accountId, region, instanceId };
    const found = decideInstance(query, await callProvider(() => cloud.describeInstance(query, call)));
    if (!found.allow) throw refuse(found.code);
    return found.instance;
  }

  async function rolesOf(instanceProfileArn: string, region: string): Promise<ProfileRoles> {
    try {
      return await cloud.rolesOfProfile({ accountId, region, instanceProfileArn }, call);
    } catch (error) {
      if (isProviderError(error) && error.code === 'denied') return 'denied';
      throw fromProvider(error);
    }
  }

  return {
    async find(role) {
      const instanceId = instanceOfSession(sessionName);
      if (instanceId === undefined) throw refuse('inferred_entity_invalid');
      const region = role.inferredRegion;
      const instance = await once(facts, region, () => describe(instanceId, region));
      const { instanceProfileArn } = instance;
      if (instanceProfileArn === undefined) throw refuse('inferred_profile_missing');
      if (!isOwnProfile(principal, instanceProfileArn)) throw refuse('inferred_profile_mismatch');
      const roles = await once(profiles, region, () => rolesOf(instanceProfileArn, region));
      const profile = decideInferredProfile(principal, instanceProfileArn, roles, role);
      if (!profile.allow) throw refuse(profile.code);
      // What INFER-5 lets pass does not meet a bound on the instance's role: that one could not be checked.
      if (roles === 'denied' && needsProfileRoles(role))
        throw fromProvider(new ProviderError('denied', 'the profile could not be looked into'));
      const profileRoleArns = roles === 'denied' ? undefined : arnsOfRoles(roles);
      return {
        entityId: instanceId,
        region,
        profileCheck: profile.check,
        bindingFacts: { proven: { accountId, region }, instance, profileRoleArns },
      };
    },
  };
}

function once<T>(answers: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const asked = ask();
  answers.set(key, asked);
  return asked;
}
