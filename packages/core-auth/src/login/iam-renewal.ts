/**
 * A token of an `iam` login is renewed (RENEW-3, RENEW-1, RENEW-4): the principal still exists, the role that logged in is
 * still the same one and still allows principal, instance and what the token was granted. What the role infers was inferred
 * at login, and is inferred again.
 */

import type { FlowCall } from '../call.js';
import { trustedNow } from '../clock-skew.js';
import { AuthError, isAuthError } from '../errors.js';
import { checkPrincipal, type Principal, principalOf } from '../principals/principal.js';
import { refuse } from '../refuse.js';
import type { Role } from '../roles/role.js';
import { runOptimistic, unchanged } from '../store/collection.js';
import { findTokenByAccessor } from '../tokens/authenticate.js';
import { extendToken, type RenewalFlow, type RenewalRequest, type RenewedToken } from '../tokens/renew-token.js';
import type { IamRenewalFacts } from '../tokens/token-record.js';
import { decideNarrowing, endNarrowed } from './decide-narrowing.js';
import type { IamFlowParts } from './iam-login.js';
import { createInference, type Inference } from './inferred-instance.js';
import type { RenewalCloud } from './recent-answers.js';

const PRINCIPAL_MISMATCH = 'bound_iam_principal_arn_mismatch';

export function createIamRenewal({
  context,
  fullArns,
  renewalCloud,
}: Pick<IamFlowParts, 'context' | 'fullArns'> & {
  readonly renewalCloud: RenewalCloud;
}): RenewalFlow<IamRenewalFacts> {
  const { collections, options } = context;

  async function isBound(role: Role, principal: Principal, call: FlowCall): Promise<boolean> {
    try {
      await checkPrincipal(fullArns, role, principal, call);
      return true;
    } catch (error) {
      if (isAuthError(error) && error.code === PRINCIPAL_MISMATCH) return false;
      throw error;
    }
  }

  async function extend(
    request: RenewalRequest<IamRenewalFacts>,
    principal: Principal,
    inference: Inference,
    call: FlowCall,
  ): Promise<RenewedToken> {
    const { accessor, facts, incrementSeconds } = request;
    const [token, role] = await Promise.all([
      findTokenByAccessor(context, accessor, call),
      collections.roles.get(facts.role, call),
    ]);
    if (token === undefined) throw new AuthError('token_not_found', 'token not found or expired; log in again');
    if (role?.value.roleId !== facts.roleId) throw refuse('role_not_found');
    if (!inferredAsAsked(role.value, facts)) throw refuse('token_not_renewable');
    const inferred = role.value.inferredEntityType === '' ? undefined : await inference.find(role.value);
    if (!(await isBound(role.value, principal, call))) {
      return endNarrowed(context, { token, role }, PRINCIPAL_MISMATCH, call);
    }
    const held = decideNarrowing(role.value, token.value, { peer: request.holder, bindings: inferred?.bindingFacts });
    if (held.narrowed) return endNarrowed(context, { token, role }, held.what, call);

    const extension = extendToken(options, {
      token: { ...token.value, boundCidrs: held.boundCidrs },
      parameters: role.value.token,
      tagMaxTtlSeconds: 0,
      incrementSeconds,
      now: trustedNow(context),
    });
    const { record, cut } = extension;
    await call.commit([
      collections.roles.check(role.id, unchanged(role)),
      collections.tokens.put(token.id, record, unchanged(token), record.expiresAt),
    ]);
    return { record, cut };
  }

  return {
    async renew(request, call) {
      const { facts } = request;
      call.annotate({ authType: 'iam', principal: facts.clientArn, role: facts.role });
      const principal = principalOf(facts.clientArn, facts.uniqueId);
      if (principal === undefined) throw refuse('token_not_renewable');
      await fullArns.confirm(principal, call);
      const inference = createInference(renewalCloud, principal, facts.inferredEntityId, call);
      return runOptimistic(() => extend(request, principal, inference, call));
    },
  };
}

/** A role that infers today renews only what was inferred, and where it infers today (RENEW-3). */
function inferredAsAsked(role: Role, facts: IamRenewalFacts): boolean {
  if (role.inferredEntityType === '') return true;
  return facts.inferredEntityId !== '' && facts.inferredRegion === role.inferredRegion;
}
