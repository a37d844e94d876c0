/** Step one of an `iam` login: verifies the caller's signed request with the provider (LOGIN-4). */
import type { CallerIdentityRequest, CallerIdentitySource, CallOptions } from '@postern/ports';
import { callProvider } from '../../call-provider.js';
import { rebuildRequest } from './rebuild-request.js';
import type { ReplayCache } from './replay-cache.js';
import { parseSignatureFields, type SignatureFields } from './signature-fields.js';
import { checkServerIdValue, checkSignedNames, chooseHeaders, type HeaderPolicy } from './signed-headers.js';
import { parseSignedRequest, type SignedRequestFields } from './signed-request.js';
import { type CallerIdentity, judgeAnswer } from './sts-answer.js';
import { checkHostPartition, findStsTarget, ownHostOf, type StsTarget, type StsTargetConfig } from './sts-target.js';

/** What of the client configuration decides about signed requests; `DEFAULT_CLIENT_CONFIG` where none is stored (CONFIG-6). */
export interface CallerIdentityConfig extends StsTargetConfig {
  /** Empty: none is required. */
  readonly iamServerIdHeaderValue: string;
  readonly allowedStsHeaders: readonly string[];
}

/** The server-ID header as the specification names it; a wire profile may name another (STS-6). */
const SERVER_ID_HEADER = 'x-service-cloud-iam-server-id';

export interface CallerIdentityParts {
  readonly source: CallerIdentitySource;
  readonly config: CallerIdentityConfig;
  /** Default: that of the specification. */
  readonly serverIdHeader?: string | undefined;
  /** Without one, a request may log in as often as STS takes it (STS-14). */
  readonly replayCache?: ReplayCache | undefined;
}

/** A request that may go out, and what judging its answer needs. */
export interface PreparedRequest {
  readonly outgoing: CallerIdentityRequest;
  readonly signature: SignatureFields;
  readonly target: StsTarget;
}

/**
 * Checks a signed request, has STS answer it, once, and reads who signed it.
 *
 * Proven: the holder of the principal's credentials signed this request, for this server where a server ID is configured.
 * Not proven: that the principal still exists, or that it may log in.
 *
 * @throws AuthError `evidence_unverified` with a reason, nothing having been sent unless it begins with `answer_` or
 *   `identity_`; `caller_identity_refused`; `provider_unavailable`, `provider_misconfigured`; `replay_cache_full`.
 * @example
 * ```ts
 * const config = stored ?? DEFAULT_CLIENT_CONFIG;
 * const { arn, accountId } = await verifyCallerIdentity({ source, config }, request, { signal });
 * ```
 */
export async function verifyCallerIdentity(
  { source, config, serverIdHeader, replayCache }: CallerIdentityParts,
  fields: SignedRequestFields,
  { signal }: CallOptions,
): Promise<CallerIdentity> {
  const { outgoing, signature, target } = prepareRequest(fields, config, serverIdHeader);
  const claim = replayCache?.claim(signature);
  try {
    return await callProvider(async () => judgeAnswer(await source.send(outgoing, { signal }), target.partition));
  } catch (error) {
    claim?.release();
    throw error;
  }
}

/**
 * Everything before the network: parse, check, rebuild. Pure.
 *
 * @throws AuthError `evidence_unverified`, `provider_misconfigured`.
 */
export function prepareRequest(
  fields: SignedRequestFields,
  config: CallerIdentityConfig,
  serverIdHeader: string = SERVER_ID_HEADER,
): PreparedRequest {
  const policy: HeaderPolicy = {
    serverIdHeader,
    serverIdValue: config.iamServerIdHeaderValue,
    allowedHeaders: config.allowedStsHeaders,
  };
  const request = parseSignedRequest(fields, ownHostOf(config));
  checkServerIdValue(request, policy);
  const signature = parseSignatureFields(request);
  checkSignedNames(request, signature, policy);
  const headers = chooseHeaders(request, signature, policy);
  const target = findStsTarget(config, signature.region);
  checkHostPartition(request.host, target);
  return { outgoing: rebuildRequest({ request, signature, headers, target }), signature, target };
}
