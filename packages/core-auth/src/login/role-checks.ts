/**
 * The named checks of a login (EXPLAIN-1): under a login the first that fails ends it with its refusal; an explanation collects them
 * all, in their order. First those that every flow asks of the role: given or inferred, there, open to this address and way of logging
 * in (LOGIN-5); its bounds and terms.
 */
import type { EpochMillis } from '@postern/ports';
import type { FlowCall } from '../call.js';
import { AuthError, isAuthError } from '../errors.js';
import { foldRoleName, isName } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import { isPeerAllowed } from '../roles/cidr.js';
import type { Role } from '../roles/role.js';
import { decideLifetime, formatDuration, type GrantedPolicies, type LifetimeLimits } from '../roles/terms.js';
import type { Entry } from '../store/collection.js';
import { type BindingFacts, type BOUND_NAMES, bindingChecks } from './decide-bindings.js';

/** In the order of judgement, for the lists of the flows. */
export const ROLE_CHECKS = ['role', 'peer_address', 'auth_type'] as const;
export const TERMS_CHECKS = ['policies', 'lifetime'] as const;

type RoleChecks = Checks<(typeof ROLE_CHECKS)[number]>;

export interface RoleQuery {
  /** As typed, or inferred from the proof (the image id, the principal's friendly name). */
  readonly name: string;
  readonly authType: Role['authType'];
}

/**
 * Reads the role and judges what needs no question to the provider, so that a peer outside the bounds costs no call.
 * The audit event names the role whatever comes of it (AUDIT-1), unless the text is not a name.
 *
 * @throws AuthError `role_not_found`, `peer_address_not_allowed`, `role_auth_type_mismatch`.
 */
export async function findLoginRole(
  { collections }: MethodContext,
  query: RoleQuery,
  call: FlowCall,
): Promise<Entry<Role>> {
  const name = isName(query.name) ? foldRoleName(query.name) : undefined;
  if (name !== undefined) call.annotate({ role: name });
  const role = name === undefined ? undefined : await collections.roles.get(name, call);
  if (role === undefined) throw noSuchRole();
  judgeRole(stopAtFirstFailure, role.value, query.authType, call.peerAddress);
  return role;
}

/** What a role asks of any login before its proof is compared with the bounds. Without a role of this kind nothing else can be judged. */
export function judgeRole(
  checks: RoleChecks,
  role: Role | undefined,
  loginType: Role['authType'],
  peerAddress: string | undefined,
): asserts role is Role {
  checks.judge('role', role !== undefined, noSuchRole, () => role?.name ?? 'there is no such role');
  if (role === undefined) checks.end();
  const { boundCidrs } = role.token;
  checks.judge(
    'peer_address',
    isPeerAllowed(boundCidrs, peerAddress),
    () => new AuthError('peer_address_not_allowed', 'permission denied'),
    () => (boundCidrs.length === 0 ? 'any address is allowed' : comparison(boundCidrs, peerAddress)),
  );
  const isOfType = role.authType === loginType;
  checks.judge(
    'auth_type',
    isOfType,
    () => new AuthError('role_auth_type_mismatch', `the role does not admit logins of type ${loginType}`),
    () => comparison([role.authType], loginType),
  );
  if (!isOfType) checks.end();
}

function noSuchRole(): AuthError {
  return new AuthError('role_not_found', 'role not found; check the name, or create the role');
}

/** Every constraint on an instance (BOUND-1 to BOUND-3). */
export function judgeBindings(checks: Checks<(typeof BOUND_NAMES)[number]>, role: Role, facts: BindingFacts): void {
  for (const { bound, code, met, expected, actual } of bindingChecks(role, facts)) {
    if (expected.length === 0) checks.skip(bound, 'the role does not ask for it');
    else
      checks.judge(
        bound,
        met,
        () => refuse(code),
        () => comparison(expected, actual),
      );
  }
}

export interface Terms {
  readonly policies: readonly string[];
  readonly ttlSeconds: number;
  /** A cap made the lifetime shorter than what was asked for or configured. */
  readonly cut: boolean;
}

/** What the token would carry (TOKEN-2, TOKEN-3); undefined where a check failed. */
export function judgeTerms(
  checks: Checks<(typeof TERMS_CHECKS)[number]>,
  role: Role,
  granted: GrantedPolicies,
  limits: LifetimeLimits,
  now: EpochMillis,
): Terms | undefined {
  checks.judge(
    'policies',
    granted.allow,
    () => refuse('policy_not_grantable'),
    () => (granted.allow ? granted.policies.join(', ') : 'the role names a policy that no login can grant'),
  );
  const lifetime = decideLifetime({ limits, issuedAt: now, now });
  checks.judge(
    'lifetime',
    lifetime.allow,
    () => refuse('token_lifetime_exhausted'),
    () => (lifetime.allow ? lifetimeText(role, lifetime.ttlSeconds, lifetime.cut) : 'limits leave nothing to grant'),
  );
  if (!granted.allow || !lifetime.allow) return undefined;
  return { policies: granted.policies, ttlSeconds: lifetime.ttlSeconds, cut: lifetime.cut };
}

function lifetimeText({ token }: Role, ttlSeconds: number, cut: boolean): string {
  return [
    `ttl ${formatDuration(ttlSeconds)}`,
    ...(cut ? ['cut by a maximum that applies'] : []),
    ...(token.periodSeconds > 0 ? ['periodic'] : []),
    ...(token.numUses > 0 ? [`${token.numUses} uses`] : []),
  ].join(', ');
}

export interface Checks<Name extends string> {
  /** @param detail for the operator who asks for an explanation: it says more than a login may (ERROR-3). */
  judge(check: Name, met: boolean, refusal: () => AuthError, detail?: () => string): void;
  /** There is nothing to judge, and why. */
  skip(check: Name, why: string): void;
  /**
   * Passes where `ask` answers, fails with its refusal. What could not be found out is thrown on: an explanation that guesses
   * would mislead.
   *
   * @param whyNot more detail of a refusal, where there is any.
   * @returns undefined where it failed; never under a login.
   */
  attempt<T>(
    check: Name,
    ask: () => Promise<T>,
    detail?: (value: T) => string | undefined,
    whyNot?: (refusal: AuthError) => string | undefined,
  ): Promise<T | undefined>;
  /** A check failed without which the ones that follow cannot be judged; never called under a login, which has ended by then. */
  end(): never;
}

/** Of a login: the first check that fails ends it. */
export const stopAtFirstFailure: Checks<string> = {
  judge(_check, met, refusal) {
    if (!met) throw refusal();
  },
  skip: () => undefined,
  attempt: (_check, ask) => ask(),
  end() {
    throw new AuthError('internal', 'a login went on after a failed check');
  },
};

export interface CheckResult {
  readonly check: string;
  /** `null`: not reached, or not asked for. */
  readonly passed: boolean | null;
  /** Of a check that failed: the code of the login's refusal. */
  readonly code?: string;
  readonly detail?: string;
}

class EndOfChecks extends Error {}

/**
 * Of an explanation: every check of `names` once, in their order.
 *
 * @throws what `walk` throws: AuthError of kind `unavailable` where provider or storage could not be asked.
 */
export async function collectChecks<Name extends string>(
  names: readonly Name[],
  walk: (checks: Checks<Name>) => Promise<void>,
): Promise<readonly CheckResult[]> {
  const judged = new Map<Name, CheckResult>();
  const set = (check: Name, passed: boolean | null, code?: string, detail?: string): void => {
    judged.set(check, {
      check,
      passed,
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
    });
  };
  const checks: Checks<Name> = {
    judge: (check, met, refusal, detail) => set(check, met, met ? undefined : refusal().code, detail?.()),
    skip: (check, why) => set(check, null, undefined, why),
    async attempt(check, ask, detail, whyNot) {
      try {
        const value = await ask();
        set(check, true, undefined, detail?.(value));
        return value;
      } catch (error) {
        if (!isAuthError(error) || error.kind === 'unavailable' || error.kind === 'internal') throw error;
        set(check, false, error.code, whyNot?.(error) ?? error.reason ?? error.message);
        return undefined;
      }
    },
    end() {
      throw new EndOfChecks();
    },
  };
  try {
    await walk(checks);
  } catch (error) {
    if (!(error instanceof EndOfChecks)) throw error;
  }
  return names.map((check) => judged.get(check) ?? { check, passed: null });
}

/** `expected a or b; found c` */
export function comparison(expected: readonly string[], actual: string | undefined): string {
  return `expected ${expected.join(' or ')}; found ${actual === undefined || actual === '' ? 'nothing' : actual}`;
}
