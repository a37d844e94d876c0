/** Step one of an `iam` login: the signed request goes out, STS says who signed it (LOGIN-4, STS-9, CONFIG-6, STS-8, LOGIN-7). */
import type { CallerIdentitySource } from '@postern/ports';
import type { FlowCall } from '../call.js';
import { DEFAULT_CLIENT_CONFIG } from '../config/records.js';
import { unverified } from '../errors.js';
import { createReplayCache } from '../evidence/caller-identity/replay-cache.js';
import { verifyCallerIdentity } from '../evidence/caller-identity/verify-caller-identity.js';
import type { MethodContext } from '../method-context.js';
import { type Principal, principalOf } from '../principals/principal.js';
import { CLIENT_CONFIG_ID } from '../store/collection.js';
import type { IamLoginRequest } from './login-operation.js';

/** Whoever signed the request. */
export interface ProvenCaller {
  readonly principal: Principal;
  /** Of an assumed role only. Chosen by whoever assumed it. */
  readonly sessionName: string | undefined;
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
  const replayCache = options.refuseReplays ? createReplayCache({ clock: ports.clock }) : undefined;
  return async (request, call) => {
    const stored = await collections.clientConfig.get(CLIENT_CONFIG_ID, call);
    const config = stored?.value ?? DEFAULT_CLIENT_CONFIG;
    const serverIdHeader = options.iamServerIdHeaderName ?? call.serverIdHeader;
    const caller = await verifyCallerIdentity({ source, config, serverIdHeader, replayCache }, request, call);
    const principal = principalOf(caller.arn, caller.uniqueId);
    if (principal === undefined) throw unverified('identity_arn');
    return { principal, sessionName: caller.sessionName };
  };
}
