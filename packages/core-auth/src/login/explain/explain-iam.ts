/**
 * Why a principal may log in against a role, or why not: walks the steps of `iam-login.ts` and collects every check instead of
 * stopping at the first that fails (EXPLAIN-1, LOGIN-4). Reads; writes nothing, and a signed request that is explained can
 * still be used.
 */
import { AuthError } from '../../errors.js';
import { parseArn } from '../../evidence/arn.js';
import { type FullArns, principalOf } from '../../principals/principal.js';
import {
  decideIamTerms,
  decidePrincipal,
  IAM_CHECKS,
  inferInstance,
  type ProveCaller,
  type ProvenCaller,
} from '../iam-login.js';
import { createInference } from '../inferred-instance.js';
import type { IamLoginRequest } from '../login-operation.js';
import { type CheckResult, collectChecks, judgeRole } from '../role-checks.js';
import type { Explanation } from './explain-ec2.js';

export type IamQuestion =
  | { readonly authType: 'iam'; readonly proof: IamLoginRequest }
  | { readonly authType: 'iam'; readonly caller: ProvenCaller };

export interface IamExplanationParts {
  readonly fullArns: FullArns;
  /** Undefined where logins of principals are not served: the port is missing. */
  readonly proveCaller: ProveCaller | undefined;
}

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
export function explainIam(
  { context, role, peerAddress, call }: Explanation,
  { fullArns, proveCaller }: IamExplanationParts,
  question: IamQuestion,
): Promise<readonly CheckResult[]> {
  return collectChecks(IAM_CHECKS, async (checks) => {
    let caller: ProvenCaller | undefined;
    if (proveCaller === undefined) {
      const disabled = 'logins of type iam are not enabled';
      checks.judge(
        'evidence',
        false,
        () => new AuthError('auth_type_not_enabled', disabled),
        () => disabled,
      );
    } else if ('proof' in question) {
      const ask = () => proveCaller(question.proof, call);
      caller = await checks.attempt('evidence', ask, ({ principal }) => `${principal.stsArn}, ${principal.uniqueId}`);
    } else {
      caller = question.caller;
      checks.skip('evidence', 'facts were given, not a proof');
    }
    judgeRole(checks, role, 'iam', peerAddress);
    if (caller === undefined) return;

    const step = { context, checks, call };
    const { principal, sessionName } = caller;
    await decidePrincipal(step, fullArns, role, principal);
    await inferInstance(step, createInference(context.ports.cloud, principal, sessionName, call), role);
    decideIamTerms(step, role, context.ports.clock.now());
  });
}
