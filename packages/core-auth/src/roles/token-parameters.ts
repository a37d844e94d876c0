/**
 * What a write makes of a role's token parameters and of their deprecated twins (ROLE-11, ROLE-12):
 * the twin alone sets both, the new name alone clears the twin, both together count as the new name.
 */
import { parseCidr } from './cidr.js';
import { type Refusal, refuse } from './refusal.js';
import type { LegacyTokenParameters, TokenParameters } from './role.js';
import type { RoleFields } from './role-fields.js';
import { normalizePolicies, ROOT_POLICY } from './terms.js';

export interface TokenLimits {
  /** Upper bound of every lifetime of the mount. */
  readonly maxTtlSeconds: number;
}

export interface TokenParts {
  readonly token: TokenParameters;
  readonly legacy: LegacyTokenParameters;
}

export type TokenDecision = ({ readonly allow: true; readonly warnings: readonly string[] } & TokenParts) | Refusal;

export const NO_TOKEN_PARTS: TokenParts = {
  token: {
    ttlSeconds: 0,
    maxTtlSeconds: 0,
    explicitMaxTtlSeconds: 0,
    periodSeconds: 0,
    policies: [],
    noDefaultPolicy: false,
    numUses: 0,
    boundCidrs: [],
    type: 'default',
  },
  legacy: { ttlSeconds: 0, maxTtlSeconds: 0, periodSeconds: 0, policies: [] },
};

/** Pure. Refuses with `role_token_parameters_invalid`, which names the field. */
export function decideTokenParameters(stored: TokenParts, fields: RoleFields, limits: TokenLimits): TokenDecision {
  const type = tokenTypeOf(fields.token_type, stored.token.type);
  if (type === undefined) return invalid('token_type', 'must be service, batch or default');
  const ttl = merge(fields.token_ttl, fields.ttl, stored.token.ttlSeconds, stored.legacy.ttlSeconds, 0);
  const maxTtl = merge(
    fields.token_max_ttl,
    fields.max_ttl,
    stored.token.maxTtlSeconds,
    stored.legacy.maxTtlSeconds,
    0,
  );
  const period = merge(fields.token_period, fields.period, stored.token.periodSeconds, stored.legacy.periodSeconds, 0);
  const oldPolicies = fields.policies === undefined ? undefined : legacyPolicies(fields.policies);
  const policies = merge(fields.token_policies, oldPolicies, stored.token.policies, stored.legacy.policies, []);
  const token: TokenParameters = {
    ttlSeconds: ttl.value,
    maxTtlSeconds: maxTtl.value,
    explicitMaxTtlSeconds: fields.token_explicit_max_ttl ?? stored.token.explicitMaxTtlSeconds,
    periodSeconds: period.value,
    policies: policies.value,
    noDefaultPolicy: fields.token_no_default_policy ?? stored.token.noDefaultPolicy,
    numUses: fields.token_num_uses ?? stored.token.numUses,
    boundCidrs: fields.token_bound_cidrs ?? stored.token.boundCidrs,
    type,
  };
  const refusal = checkTokenParameters(token, limits);
  if (refusal !== undefined) return refusal;
  const warnings =
    token.maxTtlSeconds > limits.maxTtlSeconds
      ? [`token_max_ttl is above the mount's maximum of ${limits.maxTtlSeconds} seconds, which will hold`]
      : [];
  const legacy: LegacyTokenParameters = {
    ttlSeconds: ttl.legacy,
    maxTtlSeconds: maxTtl.legacy,
    periodSeconds: period.legacy,
    policies: policies.legacy,
  };
  return { allow: true, token, legacy, warnings };
}

/** Whatever names a value was sent by, the outcome is checked: the deprecated `period` slips past nothing. */
function checkTokenParameters(token: TokenParameters, limits: TokenLimits): Refusal | undefined {
  if (token.boundCidrs.some((cidr) => parseCidr(cidr) === undefined)) {
    return invalid('token_bound_cidrs', 'must be IP addresses or CIDR blocks');
  }
  if (token.numUses < 0) return invalid('token_num_uses', 'must not be negative');
  if (token.type === 'batch' && token.periodSeconds > 0) return invalid('token_period', 'batch tokens have no period');
  if (token.type === 'batch' && token.numUses > 0) return invalid('token_num_uses', 'batch tokens count no uses');
  if (token.maxTtlSeconds > 0 && token.ttlSeconds > token.maxTtlSeconds) {
    return invalid('token_ttl', 'must not be above token_max_ttl');
  }
  if (token.periodSeconds > limits.maxTtlSeconds) {
    return invalid('token_period', `must not be above the mount's maximum of ${limits.maxTtlSeconds} seconds`);
  }
  return undefined;
}

/** Value and twin after a write. */
function merge<T>(
  sent: T | undefined,
  sentTwin: T | undefined,
  stored: T,
  storedTwin: T,
  unset: T,
): { value: T; legacy: T } {
  if (sent !== undefined) return { value: sent, legacy: sentTwin === undefined ? unset : sent };
  if (sentTwin !== undefined) return { value: sentTwin, legacy: sentTwin };
  return { value: stored, legacy: storedTwin };
}

/** The twin `policies` is normalised on write; `root` swallows all others. */
function legacyPolicies(names: readonly string[]): readonly string[] {
  const normal = normalizePolicies(names);
  return normal.includes(ROOT_POLICY) ? [ROOT_POLICY] : normal;
}

function tokenTypeOf(sent: string | undefined, stored: TokenParameters['type']): TokenParameters['type'] | undefined {
  switch (sent) {
    case undefined:
      return stored;
    case '':
    case 'default':
      return 'default';
    case 'service':
    case 'batch':
      return sent;
    default:
      return undefined;
  }
}

function invalid(field: string, what: string): Refusal {
  return refuse('role_token_parameters_invalid', `${field}: ${what}`, { field });
}
