/**
 * A principal logs in (LOGIN-4, PROVIDER-1, LOGIN-7, ALIAS-4). Five steps: evidence, role, principal,
 * inference, grant; then one commit of the token, if the role is still as it was read. The evidence is asked for once: a
 * conflict makes us decide again, never ask STS again.
 */
import type { FlowCall, Outcome } from '../call.js';
import type { MethodContext } from '../method-context.js';
import { checkPrincipal } from '../principals/check-principal.js';
import type { FullArns } from '../principals/full-arn-cache.js';
import type { Role } from '../roles/role.js';
import { type Entry, runOptimistic, unchanged } from '../store/collection.js';
import { authView } from '../tokens/auth-view.js';
import { commitToken, withdrawToken } from './grant-token.js';
import type { ProveCaller, ProvenCaller } from './iam-evidence.js';
import { grantIamToken } from './iam-grant.js';
import { createInference, type InferredInstance } from './inferred-instance.js';
import type { IamLoginRequest, LoginFlow } from './login-operation.js';
import { findLoginRole } from './role-step.js';

export interface IamFlowParts {
  readonly context: MethodContext;
  readonly proveCaller: ProveCaller;
  /** Shared with renewal. */
  readonly fullArns: FullArns;
}

export function createIamLogin({ context, proveCaller, fullArns }: IamFlowParts): LoginFlow<IamLoginRequest> {
  return {
    async login(request, call) {
      call.note({ authType: 'iam' });
      const caller = await proveCaller(request, call);
      call.note({ principal: caller.principal.stsArn, details: proofDetails(caller) });
      const question = { name: request.role ?? caller.principal.name, authType: 'iam' } as const;
      const firstRead = await findLoginRole(context, question, call);
      const inference = createInference(context, caller.principal, caller.sessionName, call);

      let read: Entry<Role> | undefined = firstRead;
      return runOptimistic(async () => {
        const role = read ?? (await findLoginRole(context, question, call));
        read = undefined;
        await checkPrincipal(fullArns, role.value, caller.principal, call);
        const inferred = role.value.inferredEntityType === '' ? undefined : await inference.infer(role.value);
        return admit({ context, role, caller, inferred, call });
      });
    },
  };
}

interface Admission {
  readonly context: MethodContext;
  readonly role: Entry<Role>;
  readonly caller: ProvenCaller;
  readonly inferred: InferredInstance | undefined;
  readonly call: FlowCall;
}

/** Grant and commit. */
async function admit({ context, role, caller, inferred, call }: Admission): Promise<Outcome> {
  const { ports, collections } = context;
  const question = { role: role.value, caller, inferred, now: ports.clock.now() };
  const { issued, warnings } = await grantIamToken(context, question, call);
  await commitToken(context, issued, [collections.roles.check(role.id, unchanged(role))], call);
  const { record } = issued;
  call.ifUnrecorded(() => withdrawToken(context, issued));
  call.note({
    accessor: record.accessor,
    token: issued.token,
    details: { alias: record.aliasName, entity_id: record.entityId, ...inferenceDetails(inferred) },
  });
  return { auth: authView(issued.token, record), ...(warnings.length > 0 ? { warnings } : {}) };
}

function proofDetails({ principal }: ProvenCaller): Readonly<Record<string, string>> {
  return { account_id: principal.accountId, client_user_id: principal.uniqueId };
}

function inferenceDetails(inferred: InferredInstance | undefined): Readonly<Record<string, string>> {
  if (inferred === undefined) return {};
  return {
    inferred_entity_id: inferred.entityId,
    inferred_aws_region: inferred.region,
    ...(inferred.profileChecked ? {} : { profile_unchecked: 'true' }),
  };
}
