/** Renewal of any token: found, renewable, and handed to the flow that logged in (RENEW-1). */
import type { FlowCall, Outcome } from '../call.js';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import { lifetimeCut } from '../roles/terms.js';
import { findTokenRecord } from './authenticate.js';
import { authView } from './issue-token.js';
import type { Ec2RenewalFacts, IamRenewalFacts, RenewalFacts, TokenRecord } from './token-record.js';

/** The token of a renewal, as it was found. */
export interface RenewalRequest<Facts extends RenewalFacts> {
  readonly accessor: string;
  readonly facts: Facts;
  readonly incrementSeconds: number | undefined;
  /** Where the holder renews: their address. Undefined where somebody else does. */
  readonly holder: { readonly address: string | undefined } | undefined;
}

/** What a renewal is asked for. */
export type RenewalWish = Pick<RenewalRequest<RenewalFacts>, 'incrementSeconds' | 'holder'>;

export interface RenewedToken {
  readonly record: TokenRecord;
  /** A cap made the lifetime shorter than what was wanted. */
  readonly cut: boolean;
}

export interface RenewalFlow<Facts extends RenewalFacts> {
  /** @throws AuthError with a code of the login or token group; `token_not_found` when it was revoked meanwhile. */
  renew(request: RenewalRequest<Facts>, call: FlowCall): Promise<RenewedToken>;
}

/** By auth type, from facts kept privately on the token: public metadata decides nothing. */
export interface RenewalFlows {
  readonly ec2: RenewalFlow<Ec2RenewalFacts>;
  /** Absent where logins of principals are not served. */
  readonly iam?: RenewalFlow<IamRenewalFacts> | undefined;
}

/**
 * @throws AuthError `token_not_found`, `token_not_renewable`, `auth_type_not_enabled`, and what the flow throws.
 */
export async function renewToken(
  context: MethodContext,
  flows: RenewalFlows,
  token: string,
  wish: RenewalWish,
  call: FlowCall,
): Promise<Outcome> {
  const record = await findTokenRecord(context, token, call);
  if (record === undefined) throw new AuthError('token_not_found', 'token not found or expired');
  const { accessor } = record;
  call.annotate({ token, accessor });
  if (!record.renewable || record.renewal === undefined) throw refuse('token_not_renewable');
  const renewed = await renewBy(flows, record.renewal, { accessor, ...wish }, call);
  return {
    auth: authView(token, renewed.record),
    ...(renewed.cut ? { warnings: [lifetimeCut(renewed.record.ttlSeconds)] } : {}),
  };
}

function renewBy(
  flows: RenewalFlows,
  facts: RenewalFacts,
  request: RenewalWish & { readonly accessor: string },
  call: FlowCall,
) {
  if (facts.authType === 'ec2') return flows.ec2.renew({ ...request, facts }, call);
  if (flows.iam === undefined) {
    throw new AuthError('auth_type_not_enabled', 'renewals of type iam are not enabled here');
  }
  return flows.iam.renew({ ...request, facts }, call);
}
