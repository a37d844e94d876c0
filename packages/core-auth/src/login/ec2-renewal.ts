/**
 * A token of an `ec2` login is renewed (RENEW-2, RENEW-1, RENEW-4, ACCESS-6): the instance still runs, its access-list entry
 * still stands, the role that logged in is still the same one and still allows what the token was granted.
 */
import { entryAfterRenewal } from '../access-list/entry.js';
import type { FlowCall } from '../call.js';
import { callProvider } from '../call-provider.js';
import { trustedNow } from '../clock-skew.js';
import { AuthError } from '../errors.js';
import { refuse } from '../refuse.js';
import type { Role } from '../roles/role.js';
import { entryLifetimeSeconds } from '../roles/terms.js';
import { runOptimistic, unchanged } from '../store/collection.js';
import { findTokenByAccessor } from '../tokens/authenticate.js';
import { extendToken, type RenewalFlow, type RenewalRequest, type RenewedToken } from '../tokens/renew-token.js';
import type { Ec2RenewalFacts } from '../tokens/token-record.js';
import { type BindingFacts, decideInstance, needsProfileRoles } from './decide-bindings.js';
import { decideNarrowing, endNarrowed } from './decide-narrowing.js';
import { type Ec2FlowParts, instancePlace } from './ec2-login.js';
import { arnsOfRoles } from './inference.js';
import type { RenewalCloud } from './recent-answers.js';

/** The instance that the token is of, as it is now. */
type Found = Pick<BindingFacts, 'proven' | 'instance'>;

export function createEc2Renewal({
  context,
  serializer,
  renewalCloud,
}: Omit<Ec2FlowParts, 'loadTrustStore'> & { readonly renewalCloud: RenewalCloud }): RenewalFlow<Ec2RenewalFacts> {
  const { collections, options } = context;

  /** The profile is asked about only where the role is bound to its role. */
  async function bindingFacts(role: Role, { proven, instance }: Found, call: FlowCall): Promise<BindingFacts> {
    const { instanceProfileArn } = instance;
    if (!needsProfileRoles(role) || instanceProfileArn === undefined) {
      return { proven, instance, profileRoleArns: undefined };
    }
    const query = { ...proven, instanceProfileArn };
    const roles = await callProvider(() => renewalCloud.rolesOfProfile(query, call));
    return { proven, instance, profileRoleArns: arnsOfRoles(roles) };
  }

  async function extend(request: RenewalRequest<Ec2RenewalFacts>, found: Found, call: FlowCall): Promise<RenewedToken> {
    const { accessor, facts, incrementSeconds } = request;
    const now = trustedNow(context);
    const [token, stored, role] = await Promise.all([
      findTokenByAccessor(context, accessor, call),
      collections.accessList.get(facts.instanceId, call),
      collections.roles.get(facts.role, call),
    ]);
    if (token === undefined) throw new AuthError('token_not_found', 'token not found or expired; log in again');
    // What was deleted is never made again: only a login adds an entry.
    if (stored === undefined) throw refuse('access_list_entry_missing');
    if (role?.value.roleId !== facts.roleId) throw refuse('role_not_found');
    const bindings = await bindingFacts(role.value, found, call);
    const held = decideNarrowing(role.value, token.value, { peer: request.holder, bindings });
    if (held.narrowed) return endNarrowed(context, { token, role }, held.what, call);

    const { record, cut, limits } = extendToken(options, {
      token: { ...token.value, boundCidrs: held.boundCidrs },
      parameters: role.value.token,
      tagMaxTtlSeconds: facts.tagMaxTtlSeconds,
      incrementSeconds,
      now,
    });
    const next = entryAfterRenewal(stored.value, now, entryLifetimeSeconds(limits), instancePlace(context, facts));
    await call.commit([
      collections.roles.check(role.id, unchanged(role)),
      collections.accessList.put(stored.id, next, unchanged(stored), next.expiresAt),
      collections.tokens.put(token.id, record, unchanged(token), record.expiresAt),
    ]);
    return { record, cut };
  }

  return {
    async renew(request, call) {
      const { accountId, region, instanceId, role } = request.facts;
      call.annotate({ authType: 'ec2', principal: instanceId, role });
      const query = { accountId, region, instanceId };
      const found = decideInstance(query, await callProvider(() => renewalCloud.describeInstance(query, call)));
      if (!found.allow) throw refuse(found.code);
      const facts = { proven: { accountId, region }, instance: found.instance };
      return serializer.run(instanceId, () => runOptimistic(() => extend(request, facts, call)));
    },
  };
}
