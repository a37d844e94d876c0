/**
 * Why an instance may log in against a role, or why not: the steps of `ec2-login.ts`, each judged by the decider that the
 * login uses, none of them the last (EXPLAIN-1, LOGIN-3). Reads; writes nothing.
 */

import { parseRfc3339 } from '@postern/kernel';
import type { InstanceFacts } from '@postern/ports';
import { decideReauthentication, type PresentedNonce } from '../../access-list/decide-reauthentication.js';
import { findEntry } from '../../access-list/entry.js';
import type { FlowCall } from '../../call.js';
import { askProvider } from '../../call-provider.js';
import type { LoadTrustStore } from '../../config/trust-store-loader.js';
import type { VerifiedDocument } from '../../evidence/identity-document/document.js';
import type { MethodContext } from '../../method-context.js';
import { refuse } from '../../refuse.js';
import { verifyInstanceTag } from '../../role-tags/apply-role-tag.js';
import { decideTagUse, NO_TAG_EFFECTS, type TagEffects, tagUseChecks } from '../../role-tags/decide-tag-use.js';
import { tokenLimits } from '../../roles/lifetime.js';
import type { Role } from '../../roles/role.js';
import {
  BOUND_NAMES,
  decideInstance,
  type InstanceCode,
  instanceChecks,
  needsProfileRoles,
} from '../decide-bindings.js';
import { decideDocumentAge } from '../document-age.js';
import { decideEc2Policies } from '../ec2-grant.js';
import { verifyEvidence } from '../evidence.js';
import type { Ec2LoginRequest } from '../login-operation.js';
import { type CheckReport, comparison, createCheckReport } from './check-report.js';
import { explainBindings, explainRole, explainToken, ROLE_CHECK_NAMES, TOKEN_CHECK_NAMES } from './role-checks.js';

/** What a document says, as far as it matters; without a proof where the operator asks about facts. */
export interface InstanceClaims extends Pick<VerifiedDocument, 'instanceId' | 'accountId' | 'region'> {
  /** Undefined where nobody told. */
  readonly pendingTime: string | undefined;
}

export type Ec2Question =
  | { readonly authType: 'ec2'; readonly proof: Ec2LoginRequest }
  | { readonly authType: 'ec2'; readonly claims: InstanceClaims; readonly nonce: PresentedNonce };

export interface Explanation {
  readonly context: MethodContext;
  /** The role of the path; undefined where there is none. */
  readonly role: Role | undefined;
  /** From where the login would come. */
  readonly peerAddress: string | undefined;
  readonly call: FlowCall;
}

const INSTANCE_CHECKS: Readonly<Record<Exclude<InstanceCode, 'instance_not_found'>, string>> = {
  instance_account_mismatch: 'instance_account',
  instance_region_mismatch: 'instance_region',
  instance_not_running: 'instance_running',
};

const NAMES = [
  'evidence',
  ...ROLE_CHECK_NAMES,
  'instance',
  ...Object.values(INSTANCE_CHECKS),
  'instance_profile',
  ...BOUND_NAMES,
  'role_tag',
  'role_tag_instance',
  'deny_list',
  'role_tag_policies',
  'document_age',
  'reauthentication',
  ...TOKEN_CHECK_NAMES,
];

/** @throws AuthError of kind `unavailable` where the provider or the storage could not be asked. */
export async function explainEc2(
  { context, role, peerAddress, call }: Explanation,
  loadTrustStore: LoadTrustStore,
  question: Ec2Question,
): Promise<CheckReport> {
  const report = createCheckReport(NAMES);
  const told = 'proof' in question ? { nonce: question.proof.nonce } : question;
  let claims: InstanceClaims | undefined;
  if ('proof' in question) {
    const ask = () => verifyEvidence(context, loadTrustStore, question.proof.evidence, call);
    claims = await report.attempt('evidence', ask, describeDocument);
  } else {
    claims = question.claims;
    report.skip('evidence', 'facts were given, not a proof');
  }
  if (!explainRole(report, role, 'ec2', peerAddress) || claims === undefined) return report;
  const instance = await explainInstance(context, report, claims, call);
  if (instance === undefined) return report;

  await explainBounds(context, report, role, claims, instance, call);
  const tag = await explainTag(context, report, role, claims.instanceId, instance, call);
  if (tag === undefined) return report;
  await explainReauthentication(context, report, role, claims, told.nonce, tag, call);
  const limits = tokenLimits(context.options, role.token, tag.maxTtlSeconds);
  explainToken(report, role, decideEc2Policies(role, tag.policies), limits, context.ports.clock.now());
  return report;
}

async function explainInstance(
  { ports }: MethodContext,
  report: CheckReport,
  { accountId, region, instanceId, pendingTime = '' }: InstanceClaims,
  call: FlowCall,
): Promise<InstanceFacts | undefined> {
  const query = { accountId, region, instanceId, launchedAfter: parseRfc3339(pendingTime) };
  const found = await report.attempt('instance', async () => {
    const answer = await askProvider(() => ports.cloud.describeInstance(query, call));
    const decided = decideInstance(query, answer);
    if (answer === undefined || (!decided.allow && decided.code === 'instance_not_found')) {
      throw refuse('instance_not_found');
    }
    return answer;
  });
  if (found === undefined) return undefined;
  for (const { code, met, expected, actual } of instanceChecks(query, found)) {
    // `instanceChecks` asks everything but whether there is such an instance.
    if (code !== 'instance_not_found') report.judge(INSTANCE_CHECKS[code], met, code, comparison([expected], actual));
  }
  return found;
}

async function explainBounds(
  { ports }: MethodContext,
  report: CheckReport,
  role: Role,
  proven: InstanceClaims,
  instance: InstanceFacts,
  call: FlowCall,
): Promise<void> {
  const { accountId, region } = proven;
  const { instanceProfileArn } = instance;
  let profileRoleArns: readonly string[] | undefined;
  if (!needsProfileRoles(role)) report.skip('instance_profile', 'the role does not ask for it');
  else if (instanceProfileArn === undefined) report.pass('instance_profile', 'the instance has none');
  else {
    const ask = () => askProvider(() => ports.cloud.rolesOfProfile({ accountId, region, instanceProfileArn }, call));
    profileRoleArns = await report.attempt('instance_profile', ask, (roles) => roles?.join(', ') ?? 'there is none');
  }
  explainBindings(report, role, { proven, instance, profileRoleArns });
}

/** @returns undefined where the tag bars the login. */
async function explainTag(
  context: MethodContext,
  report: CheckReport,
  role: Role,
  instanceId: string,
  { tags }: InstanceFacts,
  call: FlowCall,
): Promise<TagEffects | undefined> {
  if (role.roleTagKey === '') {
    report.skip('role_tag', 'the role does not ask for one');
    return NO_TAG_EFFECTS;
  }
  const ask = () => verifyInstanceTag(context, role, { instanceId, tags }, call);
  const verified = await report.attempt('role_tag', ask, () => `in the instance tag ${role.roleTagKey}`);
  if (verified === undefined) return undefined;
  const names = {
    role_tag_instance_mismatch: 'role_tag_instance',
    role_tag_deny_listed: 'deny_list',
    role_tag_policy_not_in_role: 'role_tag_policies',
  };
  for (const { code, met } of tagUseChecks(verified.facts)) report.judge(names[code], met, code);
  const decided = decideTagUse(verified.facts);
  return decided.allow ? decided.effects : undefined;
}

async function explainReauthentication(
  context: MethodContext,
  report: CheckReport,
  role: Role,
  { instanceId, pendingTime }: InstanceClaims,
  nonce: PresentedNonce,
  tag: TagEffects,
  call: FlowCall,
): Promise<void> {
  const { entry } = await findEntry(context, instanceId, call);
  const untold = 'pending_time was not given';
  const { maxDocumentAgeSeconds } = role;
  if (maxDocumentAgeSeconds === 0) report.skip('document_age', 'the role takes documents of any age');
  else if (pendingTime === undefined) report.skip('document_age', untold);
  else {
    const age = decideDocumentAge(maxDocumentAgeSeconds, pendingTime, context.ports.clock.now());
    const detail = `at most ${maxDocumentAgeSeconds} seconds; started ${pendingTime}`;
    report.judge('document_age', age.allow, age.allow ? '' : age.code, detail);
  }
  if (pendingTime === undefined && entry !== undefined) {
    report.skip('reauthentication', untold);
    return;
  }
  const verdict = decideReauthentication({
    entry,
    nonce,
    // Never read on a first login, which is the only one that comes here without.
    pendingTime: pendingTime ?? '',
    allowInstanceMigration: role.allowInstanceMigration && tag.allowInstanceMigration,
    disallowReauthentication: role.disallowReauthentication || tag.disallowReauthentication,
  });
  if (!verdict.allow) report.fail('reauthentication', verdict.code, refuse(verdict.code).message);
  else if (entry === undefined) report.pass('reauthentication', 'a first login');
  else
    report.pass('reauthentication', verdict.migrated ? 'a migrated instance' : 'the nonce is that of the first login');
}

function describeDocument({ instanceId, accountId, region, imageId, proof }: VerifiedDocument): string {
  return `${instanceId} of image ${imageId} in ${accountId}, ${region}; ${proof.method}, ${proof.signatureAlgorithm}`;
}
