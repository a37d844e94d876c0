/** The part of an explanation that is the same for every way of logging in: role, role's own terms, bounds, token. */

import { decideLifetime, formatDuration, type LifetimeLimits } from '../../roles/lifetime.js';
import type { GrantedPolicies } from '../../roles/policies.js';
import type { Role } from '../../roles/role.js';
import { type BindingFacts, bindingChecks } from '../decide-bindings.js';
import { type LoginRoleCheck, loginRoleChecks } from '../role-step.js';
import { type CheckReport, comparison } from './check-report.js';

const ROLE_CHECKS: Readonly<Record<LoginRoleCheck['code'], string>> = {
  peer_address_not_allowed: 'peer_address',
  role_auth_type_mismatch: 'auth_type',
};

export const ROLE_CHECK_NAMES = ['role', ...Object.values(ROLE_CHECKS)] as const;
export const TOKEN_CHECK_NAMES = ['policies', 'lifetime'] as const;

/** @returns whether a role of this kind can be held against this proof at all. */
export function explainRole(
  report: CheckReport,
  role: Role | undefined,
  loginType: Role['authType'],
  peerAddress: string | undefined,
): role is Role {
  if (role === undefined) {
    report.fail('role', 'role_not_found', 'there is no such role');
    return false;
  }
  report.pass('role', role.name);
  const { boundCidrs } = role.token;
  const details: Readonly<Record<LoginRoleCheck['code'], string>> = {
    peer_address_not_allowed: boundCidrs.length === 0 ? 'any address is allowed' : comparison(boundCidrs, peerAddress),
    role_auth_type_mismatch: comparison([role.authType], loginType),
  };
  for (const { code, met } of loginRoleChecks(role, loginType, peerAddress)) {
    report.judge(ROLE_CHECKS[code], met, code, details[code]);
  }
  return role.authType === loginType;
}

export function explainBindings(report: CheckReport, role: Role, facts: BindingFacts): void {
  for (const { bound, code, met, expected, actual } of bindingChecks(role, facts)) {
    if (expected.length === 0) report.skip(bound, 'the role does not ask for it');
    else report.judge(bound, met, code, comparison(expected, actual));
  }
}

/** What the token would carry. */
export function explainToken(
  report: CheckReport,
  role: Role,
  granted: GrantedPolicies,
  limits: LifetimeLimits,
  now: number,
): void {
  if (granted.allow) report.pass('policies', granted.policies.join(', '));
  else report.fail('policies', granted.code, 'the role names a policy that no login can grant');
  const lifetime = decideLifetime({ limits, issuedAt: now, now });
  if (!lifetime.allow) report.fail('lifetime', lifetime.code, 'limits leave nothing to grant');
  else report.pass('lifetime', lifetimeText(role, lifetime.ttlSeconds, lifetime.cut));
}

function lifetimeText({ token }: Role, ttlSeconds: number, cut: boolean): string {
  return [
    `ttl ${formatDuration(ttlSeconds)}`,
    ...(cut ? ['cut by a maximum that applies'] : []),
    ...(token.periodSeconds > 0 ? ['periodic'] : []),
    ...(token.numUses > 0 ? [`${token.numUses} uses`] : []),
  ].join(', ');
}
