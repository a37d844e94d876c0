/**
 * `POST /role/:role/explain`: would this login succeed, and where would it fail? Ours, not the specification's. Takes the
 * body of a login, or facts about an instance or a principal, and changes nothing. An operator's question: it says more
 * than a login may (ERROR-3), and so needs a token that may update below the role. Nonces are never told.
 */
import * as z from 'zod';
import type { LoadTrustStore } from '../../config/trust-store-loader.js';
import { AuthError } from '../../errors.js';
import { described, requireRoleName, textField } from '../../fields/fields.js';
import type { MethodContext } from '../../method-context.js';
import { defineOperation } from '../../operation.js';
import { createFullArns } from '../../principals/full-arn-cache.js';
import { createIamEvidence } from '../iam-login.js';
import { loginFields, parseLoginRequest, presentedNonce } from '../login-operation.js';
import { type Ec2Question, type Explanation, explainEc2 } from './explain-ec2.js';
import { claimedCaller, explainIam, type IamExplanationParts, type IamQuestion } from './explain-iam.js';

const explainFields = loginFields.omit({ role: true }).extend({
  instance_id: described(textField, 'Instance to ask about; with account_id and region, in place of a proof.'),
  account_id: described(textField, 'Account of the instance.'),
  region: described(textField, 'Region of the instance.'),
  pending_time: described(textField, 'When the instance started, as its document says; RFC 3339.'),
  arn: described(textField, 'Principal to ask about, as STS says it; with unique_id, in place of a signed request.'),
  unique_id: described(textField, 'Unique id of the principal.'),
  peer_address: described(textField, 'Address that the login would come from; without one, that of this call.'),
});

const explainOutput = z.object({
  would_allow: z.boolean().meta({ description: 'No check failed. What was not told is not judged.' }),
  checks: z.array(
    z.object({
      check: z.string(),
      passed: z.boolean().nullable().meta({ description: 'null: not reached, or not asked for' }),
      code: z.string().optional().meta({ description: 'what the login would be refused with' }),
      detail: z.string().optional(),
    }),
  ),
});

type Fields = z.output<typeof explainFields>;

export function createExplainOperation(context: MethodContext, loadTrustStore: LoadTrustStore) {
  const iam = iamParts(context);
  return defineOperation({
    id: 'role.explain',
    summary: 'Explain whether a login against the role would succeed, check by check; nothing is changed',
    verb: 'write',
    scope: 'mount',
    path: 'role/:role/explain',
    access: 'management',
    fields: explainFields,
    output: explainOutput,
    async handle(request) {
      const { fields, params } = request;
      const name = requireRoleName(params);
      request.annotate({ role: name });
      const question = questionOf(fields);
      const role = (await context.collections.roles.get(name, request))?.value;
      const peerAddress = fields.peer_address || request.peerAddress;
      const explanation: Explanation = { context, role, peerAddress, call: request };
      const checks =
        question.authType === 'ec2'
          ? await explainEc2(explanation, loadTrustStore, question)
          : await explainIam(explanation, iam, question);
      const wouldAllow = checks.every(({ passed }) => passed !== false);
      request.annotate({ details: { would_allow: String(wouldAllow) } });
      return { data: { would_allow: wouldAllow, checks } };
    },
  });
}

/** An explained request is not a used one: replays are not looked for here. */
function iamParts(context: MethodContext): IamExplanationParts {
  const { callerIdentity } = context.ports.cloud;
  const unmarked = { ...context, options: { ...context.options, refuseReplays: false } };
  return {
    fullArns: createFullArns(context),
    proveCaller: callerIdentity === undefined ? undefined : createIamEvidence(unmarked, callerIdentity),
  };
}

/**
 * @throws AuthError `login_fields_missing`, `login_fields_ambiguous`; `field_missing` for facts that are not all there,
 *   `field_invalid` for an invalid ARN.
 */
function questionOf(fields: Fields): Ec2Question | IamQuestion {
  const { instance_id: instanceId, arn } = fields;
  if (!instanceId && !arn) {
    const proof = parseLoginRequest(fields);
    return proof.authType === 'ec2' ? { authType: 'ec2', proof } : { authType: 'iam', proof };
  }
  if (instanceId && arn) {
    throw new AuthError('login_fields_ambiguous', 'ask about an instance or about a principal, not about both');
  }
  if (arn) return { authType: 'iam', caller: claimedCaller(arn, required(fields, 'unique_id')) };
  const claims = {
    instanceId: required(fields, 'instance_id'),
    accountId: required(fields, 'account_id'),
    region: required(fields, 'region'),
    pendingTime: fields.pending_time || undefined,
  };
  return { authType: 'ec2', claims, nonce: presentedNonce(fields) };
}

function required(fields: Fields, field: 'instance_id' | 'account_id' | 'region' | 'unique_id'): string {
  const value = fields[field];
  if (!value) throw new AuthError('field_missing', `${field}: is required here`, { details: { field } });
  return value;
}
