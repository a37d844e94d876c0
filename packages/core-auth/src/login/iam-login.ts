/**
 * A principal logs in (LOGIN-4, PROVIDER-1, LOGIN-7, ALIAS-4). Six steps: evidence verified, role found, principal decided, the
 * instance behind it found and its bindings decided, terms decided, grant made; then one commit of the token, if the role is
 * still as it was read. A conflict makes it decide again, never ask STS again. An explanation walks the same steps.
 */
import { readAhead } from '@postern/kernel';
import type { CallerIdentitySource, EpochMillis } from '@postern/ports';
import type { FlowCall } from '../call.js';
import { trustedNow } from '../clock-skew.js';
import { DEFAULT_CLIENT_CONFIG } from '../config/records.js';
import { type AuthError, unverified } from '../errors.js';
import { hasStar } from '../evidence/arn.js';
import { createReplayCache } from '../evidence/caller-identity/replay-cache.js';
import { verifyCallerIdentity } from '../evidence/caller-identity/verify-caller-identity.js';
import { foldRoleName, isName } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import type { GrantAnswer } from '../operation.js';
import { checkPrincipal, type FullArns, type Principal, principalOf } from '../principals/principal.js';
import type { Role } from '../roles/role.js';
import { decidePolicies, tokenLimits } from '../roles/terms.js';
import { CLIENT_CONFIG_ID, type Entry, IDENTITY_CONFIG_ID, runOptimistic, unchanged } from '../store/collection.js';
import { DEFAULT_IDENTITY_CONFIG, describeIamGrant } from '../tokens/alias.js';
import { authView } from '../tokens/auth-view.js';
import { BOUND_NAMES } from './decide-bindings.js';
import { commitToken, displayName, type Grant, grantToken } from './grant-token.js';
import { createInference, type Inference, type InferredInstance } from './inferred-instance.js';
import { type IamLoginRequest, type LoginFlow, withReadAhead } from './login-operation.js';
import {
  type Checks,
  comparison,
  findLoginRole,
  judgeBindings,
  judgeTerms,
  ROLE_CHECKS,
  stopAtFirstFailure,
  TERMS_CHECKS,
  type Terms,
} from './role-checks.js';
import { type RequestUse, useOfRequest } from './used-request.js';

/** Every check of an `iam` login, in the order of judgement: a denial has the code of the first that fails. */
export const IAM_CHECKS = [
  'evidence',
  ...ROLE_CHECKS,
  'bound_iam_principal_arn',
  'inferred_instance',
  ...BOUND_NAMES,
  ...TERMS_CHECKS,
] as const;

export interface IamStep {
  readonly context: MethodContext;
  readonly checks: Checks<(typeof IAM_CHECKS)[number]>;
  readonly call: FlowCall;
}

export interface IamFlowParts {
  readonly context: MethodContext;
  readonly proveCaller: ProveCaller;
  /** Shared with renewal. */
  readonly fullArns: FullArns;
}

export function createIamLogin({ context, proveCaller, fullArns }: IamFlowParts): LoginFlow<IamLoginRequest> {
  const { ports, collections } = context;

  /** Of all that the login of a principal reads. @param role undefined where STS has to name the principal first. */
  function keysOf(role: string | undefined): readonly string[] {
    const { clientConfig, identityConfig, roles } = collections;
    const keys = [clientConfig.prefix + CLIENT_CONFIG_ID, identityConfig.prefix + IDENTITY_CONFIG_ID];
    return role !== undefined && isName(role) ? [...keys, roles.prefix + foldRoleName(role)] : keys;
  }

  return {
    async login(request, given) {
      const call = withReadAhead(given);
      call.annotate({ authType: 'iam' });
      const read = (role: string | undefined) => readAhead(ports.storage, keysOf(role), call);
      await read(request.role);
      const caller = await proveCaller(request, call);
      const { principal, sessionName } = caller;
      fullArns.confirmed(principal);
      call.annotate({ principal: principal.stsArn, details: proofDetails(caller) });

      const findRole = () => findLoginRole(context, { name: request.role ?? principal.name, authType: 'iam' }, call);
      const firstRole = await findRole();

      const step = { context, checks: stopAtFirstFailure, call };
      const inference = createInference(context.ports.cloud, principal, sessionName, call);
      return runOptimistic(async (conflicts) => {
        if (conflicts > 0) {
          await read(request.role ?? principal.name);
          await caller.use?.requireUnused(call);
        }
        const role = conflicts === 0 ? firstRole : await findRole();
        await decidePrincipal(step, fullArns, role.value, principal);
        const inferred = await inferInstance(step, inference, role.value);

        const now = trustedNow(context);
        const terms = decideIamTerms(step, role.value, now);
        if (terms === undefined) return step.checks.end();
        return admit({ context, role, caller, inferred, terms, now, call });
      });
    },
  };
}

/** The principal is one that the role is bound to (PRINCIPAL-1). */
export async function decidePrincipal(
  { checks, call }: IamStep,
  fullArns: FullArns,
  role: Role,
  principal: Principal,
): Promise<void> {
  const check = 'bound_iam_principal_arn';
  if (role.boundIamPrincipalArns.length === 0 && role.inferredEntityType !== '') {
    return checks.skip(check, 'the role does not ask for it');
  }
  const compared = () => comparison(boundsOf(role), `${principal.stsArn} (${principal.uniqueId})`);
  const whyNot = ({ code }: AuthError) => (code === 'bound_iam_principal_arn_mismatch' ? compared() : undefined);
  await checks.attempt(check, () => checkPrincipal(fullArns, role, principal, call), compared, whyNot);
}

/** With the ids that count in place of their ARNs, where the role is bound to them: a re-created principal has the same ARN. */
function boundsOf({ boundIamPrincipalArns, boundIamPrincipalIds, resolveUniqueIds }: Role): readonly string[] {
  if (!resolveUniqueIds) return boundIamPrincipalArns;
  const ids = [...boundIamPrincipalIds];
  return boundIamPrincipalArns.map((arn) => (hasStar(arn) ? arn : `${arn} (${ids.shift() ?? 'no id'})`));
}

/** Where the role infers: the instance that the session is named after, held against the bounds (INFER-1, INFER-2, INFER-4, INFER-5). */
export async function inferInstance(
  { checks }: IamStep,
  inference: Inference,
  role: Role,
): Promise<InferredInstance | undefined> {
  if (role.inferredEntityType === '') {
    checks.skip('inferred_instance', 'the role does not infer one');
    return undefined;
  }
  const ask = () => inference.find(role);
  const found = await checks.attempt('inferred_instance', ask, ({ entityId, region }) => `${entityId} in ${region}`);
  if (found !== undefined) judgeBindings(checks, role, found.bindingFacts);
  return found;
}

/** What the token carries (TOKEN-2, TOKEN-3); undefined where a check failed. */
export function decideIamTerms({ context, checks }: IamStep, role: Role, now: EpochMillis): Terms | undefined {
  const granted = decidePolicies(role.token.policies, role.token.noDefaultPolicy);
  return judgeTerms(checks, role, granted, tokenLimits(context.options, role.token, 0), now);
}

/** What was decided of a login. */
interface Admission {
  readonly context: MethodContext;
  readonly role: Entry<Role>;
  readonly caller: ProvenCaller;
  /** Undefined where the role does not infer. */
  readonly inferred: InferredInstance | undefined;
  readonly terms: Terms;
  readonly now: EpochMillis;
  readonly call: FlowCall;
}

const PROFILE_UNCHECKED = 'the profile of the instance was not checked: the server is not permitted to look it up';

/** The grant and its commit. */
async function admit(admission: Admission): Promise<GrantAnswer> {
  const { context, role, caller, inferred, call } = admission;
  const { issued, warnings: given } = await grantIamToken(admission);
  const warnings = inferred?.profileCheck === 'unchecked' ? [...given, PROFILE_UNCHECKED] : given;
  const check = context.collections.roles.check(role.id, unchanged(role));
  const operations = caller.use === undefined ? [check] : [check, caller.use.write];
  await commitToken(context, issued, operations, { details: inferenceDetails(inferred) }, call);
  const auth = authView(issued.token, issued.record);
  return warnings.length > 0 ? { auth, warnings } : { auth };
}

/** Makes the token (TOKEN-1, ALIAS-4, ALIAS-5). Nothing is stored. @throws AuthError `batch_token_too_large`. */
async function grantIamToken({ context, role, caller, inferred, terms, now, call }: Admission): Promise<Grant> {
  const { principal, sessionName } = caller;
  const { name, roleId, token } = role.value;
  const stored = await context.collections.identityConfig.get(IDENTITY_CONFIG_ID, call);
  const config = stored?.value ?? DEFAULT_IDENTITY_CONFIG;
  const who = sessionName === undefined ? principal.name : `${principal.name}/${sessionName}`;
  const input = {
    parameters: token,
    terms,
    identity: describeIamGrant({ config, principal, role: role.value, inferred }),
    displayName: displayName(context.options.mountPath, who),
    renewal: {
      authType: 'iam',
      role: name,
      roleId,
      accountId: principal.accountId,
      canonicalArn: principal.canonicalArn,
      clientArn: principal.stsArn,
      uniqueId: principal.uniqueId,
      inferredEntityId: inferred?.entityId ?? '',
      inferredRegion: inferred?.region ?? '',
    },
    now,
  } as const;
  return grantToken(context, input, call);
}

function proofDetails({ principal }: ProvenCaller): Readonly<Record<string, string>> {
  return { account_id: principal.accountId, client_user_id: principal.uniqueId };
}

function inferenceDetails(inferred: InferredInstance | undefined): Readonly<Record<string, string>> {
  if (inferred === undefined) return {};
  return {
    inferred_entity_id: inferred.entityId,
    inferred_aws_region: inferred.region,
    ...(inferred.profileCheck === 'checked' ? {} : { [`profile_${inferred.profileCheck}`]: 'true' }),
  };
}

/** The principal that signed the request. */
export interface ProvenCaller {
  readonly principal: Principal;
  /** Of an assumed role only. Chosen by the caller who assumed it. */
  readonly sessionName: string | undefined;
  /** Of the signed request, where each may be used once only. */
  readonly use?: RequestUse | undefined;
}

export type ProveCaller = (request: IamLoginRequest, call: FlowCall) => Promise<ProvenCaller>;

/**
 * Makes the step. Its replay cache, where the options ask for one, lives as long as the step.
 *
 * The step throws what `verifyCallerIdentity` throws.
 */
export function createIamEvidence(
  { ports, options, collections }: MethodContext,
  source: CallerIdentitySource,
): ProveCaller {
  const { maxSignedRequestAgeSeconds: seconds } = options;
  const maxAge = seconds === undefined ? undefined : { clock: ports.clock, seconds };
  const replayCache = options.refuseReplays ? createReplayCache({ clock: ports.clock }) : undefined;
  return async (request, call) => {
    const stored = await collections.clientConfig.get(CLIENT_CONFIG_ID, call);
    const config = stored?.value ?? DEFAULT_CLIENT_CONFIG;
    const serverIdHeader = options.iamServerIdHeaderName ?? call.serverIdHeader;
    const parts = { source, config, serverIdHeader, replayCache, maxAge };
    const { claim, ...caller } = await verifyCallerIdentity(parts, request, call);
    const principal = principalOf(caller.arn, caller.uniqueId);
    if (principal === undefined) throw unverified('identity_arn');
    const use = claim === undefined ? undefined : await useOfRequest(ports.crypto, collections.usedRequests, claim);
    return { principal, sessionName: caller.sessionName, use };
  };
}
