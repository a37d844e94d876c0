/**
 * A token of an `iam` login is renewed (RENEW-3, RENEW-1): the role that logged in is still the
 * same one and still bound to the principal, as remembered; what it infers was inferred at login, and still runs.
 * Policies never change.
 */

import type { FlowCall } from '../call.js';
import { callProvider } from '../call-provider.js';
import { AuthError } from '../errors.js';
import { checkPrincipal, type Principal, principalOf } from '../principals/principal.js';
import { refuse } from '../refuse.js';
import type { Role } from '../roles/role.js';
import { runOptimistic, unchanged } from '../store/collection.js';
import { findTokenByAccessor } from '../tokens/authenticate.js';
import type { RenewalFlow, RenewalRequest, RenewedToken } from '../tokens/renew-token.js';
import type { IamRenewalFacts } from '../tokens/token-record.js';
import { decideInstance } from './decide-bindings.js';
import { extendToken } from './extend-token.js';
import type { IamFlowParts } from './iam-login.js';

export function createIamRenewal({
  context,
  fullArns,
}: Pick<IamFlowParts, 'context' | 'fullArns'>): RenewalFlow<IamRenewalFacts> {
  const { ports, collections, options } = context;

  /** Asked at most once, however often a conflict makes us decide again. */
  function instanceCheck({ accountId, inferredEntityId, inferredRegion }: IamRenewalFacts, call: FlowCall) {
    const query = { accountId, region: inferredRegion, instanceId: inferredEntityId };
    let asked: Promise<void> | undefined;
    const ask = async () => {
      const found = decideInstance(query, await callProvider(() => ports.cloud.describeInstance(query, call)));
      if (!found.allow) throw refuse(found.code);
    };
    return () => {
      asked ??= ask();
      return asked;
    };
  }

  async function extend(
    request: RenewalRequest<IamRenewalFacts>,
    principal: Principal,
    checkInstance: () => Promise<void>,
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
    if (role.value.inferredEntityType !== '') await checkInstance();
    await checkPrincipal(fullArns, role.value, principal, call);

    const extension = extendToken(options, {
      token: token.value,
      parameters: role.value.token,
      tagMaxTtlSeconds: 0,
      incrementSeconds,
      now: ports.clock.now(),
    });
    const { record, cut } = extension;
    await ports.storage.commit(
      [
        collections.roles.check(role.id, unchanged(role)),
        collections.tokens.put(token.id, record, unchanged(token), record.expiresAt),
      ],
      call,
    );
    return { record, cut };
  }

  return {
    async renew(request, call) {
      const { facts } = request;
      call.annotate({ authType: 'iam', principal: facts.clientArn, role: facts.role });
      const principal = principalOf(facts.clientArn, facts.uniqueId);
      if (principal === undefined) throw refuse('token_not_renewable');
      const checkInstance = instanceCheck(facts, call);
      return runOptimistic(() => extend(request, principal, checkInstance, call));
    },
  };
}

/** A role that infers today renews only what was inferred, and where it infers today (RENEW-3). */
function inferredAsAsked(role: Role, facts: IamRenewalFacts): boolean {
  if (role.inferredEntityType === '') return true;
  return facts.inferredEntityId !== '' && facts.inferredRegion === role.inferredRegion;
}
