/**
 * Why a principal may log in against a role, or why not: the steps of `iam-login.ts` (EXPLAIN-1, LOGIN-4).
 * Reads; writes nothing, and a signed request that is explained can still be used.
 */

import { AuthError } from '../../errors.js';
import { hasStar, parseArn } from '../../evidence/arn.js';
import type { MethodContext } from '../../method-context.js';
import { checkPrincipal } from '../../principals/check-principal.js';
import type { FullArns } from '../../principals/full-arn-cache.js';
import { type Principal, principalOf } from '../../principals/principal.js';
import { tokenLimits } from '../../roles/lifetime.js';
import { decidePolicies } from '../../roles/policies.js';
import type { Role } from '../../roles/role.js';
import { BOUND_NAMES } from '../decide-bindings.js';
import type { ProveCaller, ProvenCaller } from '../iam-evidence.js';
import { createInference } from '../inferred-instance.js';
import type { IamLoginRequest } from '../login-operation.js';
import { type CheckReport, comparison, createCheckReport } from './check-report.js';
import type { Explanation } from './explain-ec2.js';
import { explainBindings, explainRole, explainToken, ROLE_CHECK_NAMES, TOKEN_CHECK_NAMES } from './role-checks.js';

export type IamQuestion =
  | { readonly authType: 'iam'; readonly proof: IamLoginRequest }
  | { readonly authType: 'iam'; readonly caller: ProvenCaller };

export interface IamExplanationParts {
  readonly context: MethodContext;
  readonly fullArns: FullArns;
  /** Undefined where no caller can be asked about: principals do not log in here. */
  readonly proveCaller: ProveCaller | undefined;
}

const NAMES = [
  'evidence',
  ...ROLE_CHECK_NAMES,
  'bound_iam_principal_arn',
  'inferred_instance',
  ...BOUND_NAMES,
  ...TOKEN_CHECK_NAMES,
];

/** The caller that an operator asks about. @throws AuthError `field_invalid`. */
export function claimedCaller(arn: string, uniqueId: string): ProvenCaller {
  const principal = principalOf(arn, uniqueId);
  if (principal === undefined) {
    const expected = 'the ARN of a user or of an assumed role, as STS says it, with its unique_id';
    throw new AuthError('field_invalid', `arn: must be ${expected}`, { details: { field: 'arn', expected } });
  }
  const sessionName = parseArn(arn)?.sessionName;
  return { principal, sessionName: sessionName === '' ? undefined : sessionName };
}

/** @throws AuthError of kind `unavailable` where STS, the provider or the storage could not be asked. */
export async function explainIam(
  { context, role, peerAddress, call }: Explanation,
  { fullArns, proveCaller }: Pick<IamExplanationParts, 'fullArns' | 'proveCaller'>,
  question: IamQuestion,
): Promise<CheckReport> {
  const report = createCheckReport(NAMES);
  let caller: ProvenCaller | undefined;
  if (proveCaller === undefined) report.fail('evidence', 'auth_type_not_enabled', 'logins of type iam are not enabled');
  else if ('proof' in question) {
    const ask = () => proveCaller(question.proof, call);
    caller = await report.attempt('evidence', ask, ({ principal }) => `${principal.stsArn}, ${principal.uniqueId}`);
  } else {
    caller = question.caller;
    report.skip('evidence', 'facts were given, not a proof');
  }
  if (!explainRole(report, role, 'iam', peerAddress) || caller === undefined) return report;

  const { principal, sessionName } = caller;
  await explainPrincipal(report, role, principal, () => checkPrincipal(fullArns, role, principal, call));
  if (role.inferredEntityType === '') report.skip('inferred_instance', 'the role does not infer one');
  else {
    const ask = () => createInference(context, principal, sessionName, call).find(role);
    const inferred = await report.attempt(
      'inferred_instance',
      ask,
      ({ entityId, region }) => `${entityId} in ${region}`,
    );
    if (inferred !== undefined) explainBindings(report, role, inferred.bindingFacts);
  }
  const granted = decidePolicies(role.token.policies, role.token.noDefaultPolicy);
  explainToken(report, role, granted, tokenLimits(context.options, role.token, 0), context.ports.clock.now());
  return report;
}

async function explainPrincipal(
  report: CheckReport,
  role: Role,
  { stsArn, uniqueId }: Principal,
  admits: () => Promise<void>,
): Promise<void> {
  const check = 'bound_iam_principal_arn';
  if (role.boundIamPrincipalArns.length === 0 && role.inferredEntityType !== '') {
    return report.skip(check, 'the role does not ask for it');
  }
  const compared = comparison(boundsOf(role), `${stsArn} (${uniqueId})`);
  const isMismatch = ({ code }: AuthError) => code === 'bound_iam_principal_arn_mismatch';
  await report.attempt(
    check,
    admits,
    () => compared,
    (refusal) => (isMismatch(refusal) ? compared : undefined),
  );
}

/** With the ids that count in place of their ARNs, where the role is bound to them: a re-created principal has the same ARN. */
function boundsOf({ boundIamPrincipalArns, boundIamPrincipalIds, resolveUniqueIds }: Role): readonly string[] {
  if (!resolveUniqueIds) return boundIamPrincipalArns;
  const ids = [...boundIamPrincipalIds];
  return boundIamPrincipalArns.map((arn) => (hasStar(arn) ? arn : `${arn} (${ids.shift() ?? 'no id'})`));
}
