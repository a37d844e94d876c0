/**
 * The steps of an `ec2` login between its evidence and its grant (LOGIN-3, LOGIN-7, LOGIN-9, DOC-10, NONCE-7, ACCESS-5, TAG-6,
 * TAG-7): facts, bindings, role tag, reauthentication, terms. `ec2-login.ts` and the explanation of one walk these.
 */
import { parseRfc3339 } from '@postern/kernel';
import type { EpochMillis, InstanceFacts, Operation } from '@postern/ports';
import {
  type AccessListEntry,
  decideReauthentication,
  type PresentedNonce,
  type ReauthenticationDecision,
} from '../access-list/entry.js';
import type { FlowCall } from '../call.js';
import { callProvider } from '../call-provider.js';
import type { VerifiedDocument } from '../evidence/identity-document/document.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import { verifyInstanceTag } from '../role-tags/apply-role-tag.js';
import { decideTagUse, NO_TAG_EFFECTS, type TagEffects, tagUseChecks } from '../role-tags/decide-tag-use.js';
import type { Role } from '../roles/role.js';
import { decidePolicies, type GrantedPolicies, type LifetimeLimits, tokenLimits } from '../roles/terms.js';
import type { Entry } from '../store/collection.js';
import { BOUND_NAMES, instanceChecks, isInstanceAsked, needsProfileRoles } from './decide-bindings.js';
import { arnsOfRoles } from './inference.js';
import {
  type Checks,
  comparison,
  judgeBindings,
  judgeTerms,
  ROLE_CHECKS,
  TERMS_CHECKS,
  type Terms,
} from './role-checks.js';

/** Every check of an `ec2` login, in the order of judgement: a denial has the code of the first that fails. */
export const EC2_CHECKS = [
  'evidence',
  ...ROLE_CHECKS,
  ...(['instance', 'instance_account', 'instance_region', 'instance_running', 'instance_profile'] as const),
  ...BOUND_NAMES,
  ...(['role_tag', 'role_tag_instance', 'deny_list', 'role_tag_policies'] as const),
  'document_age',
  'reauthentication',
  ...TERMS_CHECKS,
] as const;

export interface Ec2Step {
  readonly context: MethodContext;
  readonly checks: Checks<(typeof EC2_CHECKS)[number]>;
  readonly call: FlowCall;
}

/** What a document says, as far as it matters; without a proof where an operator asks about facts. */
export interface InstanceClaims extends Pick<VerifiedDocument, 'instanceId' | 'accountId' | 'region'> {
  /** Undefined where it was not given. */
  readonly pendingTime: string | undefined;
}

/** What the provider answered, asked once a login (LOGIN-7). */
export interface GatheredFacts {
  readonly instance: InstanceFacts;
  /** Asked at first need, then remembered. */
  readonly profileRoles: (instanceProfileArn: string) => Promise<readonly string[] | undefined>;
}

const INSTANCE_CHECKS = {
  instance_account_mismatch: 'instance_account',
  instance_region_mismatch: 'instance_region',
  instance_not_running: 'instance_running',
} as const;

/** The instance is there, running, and where the document says (INSTANCE-1, PROVIDER-1). */
export async function gatherFacts({ context, checks, call }: Ec2Step, claims: InstanceClaims): Promise<GatheredFacts> {
  const { cloud } = context.ports;
  const { accountId, region, instanceId, pendingTime = '' } = claims;
  // A login comes seconds after the launch, when the provider's view may not include the instance yet.
  const query = { accountId, region, instanceId, launchedAfter: parseRfc3339(pendingTime) };
  const instance = await checks.attempt('instance', async () => {
    const found = await callProvider(() => cloud.describeInstance(query, call));
    if (!isInstanceAsked(query, found)) throw refuse('instance_not_found');
    return found;
  });
  if (instance === undefined) return checks.end();
  for (const { code, met, expected, actual } of instanceChecks(query, instance)) {
    checks.judge(
      INSTANCE_CHECKS[code],
      met,
      () => refuse(code),
      () => comparison([expected], actual),
    );
  }
  let asked: Promise<readonly string[] | undefined> | undefined;
  return {
    instance,
    profileRoles(instanceProfileArn) {
      asked ??= callProvider(() => cloud.rolesOfProfile({ accountId, region, instanceProfileArn }, call)).then(
        arnsOfRoles,
      );
      return asked;
    },
  };
}

/** The instance meets every constraint of the role (BOUND-1 to BOUND-3). */
export async function decideBounds(
  { checks }: Ec2Step,
  role: Role,
  proven: InstanceClaims,
  { instance, profileRoles }: GatheredFacts,
): Promise<void> {
  const { instanceProfileArn } = instance;
  let profileRoleArns: readonly string[] | undefined;
  if (!needsProfileRoles(role)) checks.skip('instance_profile', 'the role does not ask for it');
  else {
    profileRoleArns = await checks.attempt(
      'instance_profile',
      async () => (instanceProfileArn === undefined ? undefined : profileRoles(instanceProfileArn)),
      (roles) => (instanceProfileArn === undefined ? 'the instance has none' : (roles?.join(', ') ?? 'there is none')),
    );
  }
  judgeBindings(checks, role, { proven, instance, profileRoleArns });
}

export interface AppliedRoleTag {
  readonly effects: TagEffects;
  /**
   * Must hold in the very commit of the login: a tag that is deny-listed while this login decides is then met by a
   * conflict, so that once the operator has the answer no login with it succeeds (THREAT-33).
   */
  readonly conditions: readonly Operation[];
}

const TAG_CHECKS = {
  role_tag_instance_mismatch: 'role_tag_instance',
  role_tag_deny_listed: 'deny_list',
  role_tag_policy_not_in_role: 'role_tag_policies',
} as const;

/** The instance carries the tag that the role asks for, and may use it (TAG-6). Nothing is looked at where it asks for none. */
export async function decideRoleTag(
  { context, checks, call }: Ec2Step,
  role: Role,
  { instanceId }: InstanceClaims,
  { tags }: InstanceFacts,
): Promise<AppliedRoleTag> {
  const { roleTagKey } = role;
  if (roleTagKey === '') {
    checks.skip('role_tag', 'the role does not ask for one');
    return { effects: NO_TAG_EFFECTS, conditions: [] };
  }
  const ask = () => verifyInstanceTag(context, role, { instanceId, tags }, call);
  const verified = await checks.attempt('role_tag', ask, () => `in the instance tag ${roleTagKey}`);
  if (verified === undefined) return checks.end();
  for (const { code, met } of tagUseChecks(verified.facts)) checks.judge(TAG_CHECKS[code], met, () => refuse(code));
  const decided = decideTagUse(verified.facts);
  if (!decided.allow) return checks.end();
  return { effects: decided.effects, conditions: [context.collections.denyList.check(verified.id, 'absent')] };
}

export interface DecidedReauthentication {
  /** What is remembered of the instance, and what a write must be conditional on; undefined for a first login. */
  readonly stored: Entry<AccessListEntry> | undefined;
  readonly verdict: Extract<ReauthenticationDecision, { readonly allow: true }>;
}

const NO_PENDING_TIME = 'pending_time was not given';

/** The document is fresh enough (LOGIN-9), and nonce, migration and tag let this instance in again. Undefined where not, or not known. */
export async function decideReentry(
  { context, checks, call }: Ec2Step,
  role: Role,
  { instanceId, pendingTime }: InstanceClaims,
  nonce: PresentedNonce,
  tag: TagEffects,
  now: EpochMillis,
): Promise<DecidedReauthentication | undefined> {
  const { maxDocumentAgeSeconds } = role;
  if (maxDocumentAgeSeconds === 0) checks.skip('document_age', 'the role takes documents of any age');
  else if (pendingTime === undefined) checks.skip('document_age', NO_PENDING_TIME);
  else {
    const age = decideDocumentAge(maxDocumentAgeSeconds, pendingTime, now);
    checks.judge(
      'document_age',
      age.allow,
      () => refuse(age.allow ? 'document_too_old' : age.code),
      () => `at most ${maxDocumentAgeSeconds} seconds; started ${pendingTime}`,
    );
  }
  const stored = await context.collections.accessList.get(instanceId, call);
  const entry = stored?.value;
  if (pendingTime === undefined && entry !== undefined) {
    checks.skip('reauthentication', NO_PENDING_TIME);
    return undefined;
  }
  const verdict = decideReauthentication({
    entry,
    nonce,
    // Only a first login comes here without one, and does not read it.
    pendingTime: pendingTime ?? '',
    allowInstanceMigration: role.allowInstanceMigration && tag.allowInstanceMigration,
    disallowReauthentication: role.disallowReauthentication || tag.disallowReauthentication,
  });
  if (!verdict.allow) {
    const refusal = () => refuse(verdict.code);
    checks.judge('reauthentication', false, refusal, () => refusal().message);
    return undefined;
  }
  checks.judge(
    'reauthentication',
    true,
    () => refuse('nonce_mismatch'),
    () => {
      if (entry === undefined) return 'a first login';
      return verdict.migrated ? 'a migrated instance' : 'the nonce is that of the first login';
    },
  );
  return { stored, verdict };
}

export type DocumentAgeDecision =
  | { readonly allow: true }
  | { readonly allow: false; readonly code: 'document_too_old' | 'pending_time_invalid' };

/**
 * Is the identity document fresh enough for the role (LOGIN-9, THREAT-14)? Documents themselves never expire. Pure.
 *
 * @param maxAgeSeconds zero: any age, and pendingTime is not even parsed.
 */
export function decideDocumentAge(maxAgeSeconds: number, pendingTime: string, now: EpochMillis): DocumentAgeDecision {
  if (maxAgeSeconds === 0) return { allow: true };
  const startedAt = parseRfc3339(pendingTime);
  if (startedAt === undefined) return { allow: false, code: 'pending_time_invalid' };
  return now - startedAt > maxAgeSeconds * 1000 ? { allow: false, code: 'document_too_old' } : { allow: true };
}

export interface Ec2Terms {
  /** Undefined where a check failed. */
  readonly terms: Terms | undefined;
  readonly limits: LifetimeLimits;
}

/** What the token carries (TOKEN-2, TOKEN-3): the role's terms, narrowed by a role tag. */
export function decideTerms({ context, checks }: Ec2Step, role: Role, tag: TagEffects, now: EpochMillis): Ec2Terms {
  const limits = tokenLimits(context.options, role.token, tag.maxTtlSeconds);
  return { limits, terms: judgeTerms(checks, role, decideEc2Policies(role, tag.policies), limits, now) };
}

function decideEc2Policies(role: Role, tagPolicies: readonly string[] | undefined): GrantedPolicies {
  const ofRole = decidePolicies(role.token.policies, role.token.noDefaultPolicy);
  // A role that grants nothing grants nothing by way of a tag either.
  if (!ofRole.allow || tagPolicies === undefined) return ofRole;
  return decidePolicies(tagPolicies, role.token.noDefaultPolicy);
}
