/** The limits that hold for tokens of a role on this mount right now. */
import type { ResolvedAuthOptions } from '../method-context.js';
import type { TokenParameters } from '../roles/role.js';
import type { LifetimeLimits } from '../tokens/lifetime.js';

/** @param tagMaxTtlSeconds zero without a role tag. */
export function tokenLimits(
  options: ResolvedAuthOptions,
  token: TokenParameters,
  tagMaxTtlSeconds: number,
): LifetimeLimits {
  return {
    mountDefaultTtlSeconds: options.defaultTtlSeconds,
    mountMaxTtlSeconds: options.maxTtlSeconds,
    ttlSeconds: token.ttlSeconds,
    maxTtlSeconds: token.maxTtlSeconds,
    tagMaxTtlSeconds,
    explicitMaxTtlSeconds: token.explicitMaxTtlSeconds,
    periodSeconds: token.periodSeconds,
  };
}
