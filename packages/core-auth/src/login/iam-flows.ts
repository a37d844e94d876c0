/** Login and renewal of principals, wired; they share what is known of full ARNs. */
import type { MethodContext } from '../method-context.js';
import { createFullArns } from '../principals/full-arn-cache.js';
import type { RenewalFlow } from '../tokens/renew-token.js';
import type { IamRenewalFacts } from '../tokens/token-record.js';
import { createIamEvidence, createIamLogin } from './iam-login.js';
import { createIamRenewal } from './iam-renewal.js';
import type { IamLoginRequest, LoginFlow } from './login-operation.js';
import type { RenewalCloud } from './recent-answers.js';

export interface IamFlows {
  readonly login: LoginFlow<IamLoginRequest>;
  readonly renewal: RenewalFlow<IamRenewalFacts>;
}

/** Undefined where no caller can be asked about: without the port, logins of principals are not served. */
export function createIamFlows(context: MethodContext, renewalCloud: RenewalCloud): IamFlows | undefined {
  const { callerIdentity } = context.ports.cloud;
  if (callerIdentity === undefined) return undefined;
  const fullArns = createFullArns(context);
  const parts = { context, proveCaller: createIamEvidence(context, callerIdentity), fullArns };
  return { login: createIamLogin(parts), renewal: createIamRenewal({ ...parts, renewalCloud }) };
}
