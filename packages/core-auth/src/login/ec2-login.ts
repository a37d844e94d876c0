/**
 * An instance logs in (LOGIN-3, LOGIN-7, DOC-10, NONCE-7, ACCESS-3, LOGIN-8). Six steps: evidence, role, facts,
 * bindings and role tag, reauthentication, grant; then one commit of access-list entry and token together.
 */

import { createUuid, type KeyedSerializer, parseRfc3339 } from '@postern/kernel';
import type { InstanceFacts } from '@postern/ports';
import { decideReauthentication, type PresentedNonce } from '../access-list/decide-reauthentication.js';
import { entryAfterLogin, findEntry } from '../access-list/entry.js';
import type { FlowCall, Outcome } from '../call.js';
import { askProvider } from '../call-provider.js';
import type { LoadTrustStore } from '../config/trust-store-loader.js';
import type { VerifiedDocument } from '../evidence/identity-document/document.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import { type AppliedRoleTag, applyRoleTag } from '../role-tags/apply-role-tag.js';
import { entryLifetimeSeconds, tokenLimits } from '../roles/lifetime.js';
import type { Role } from '../roles/role.js';
import { type Entry, runOptimistic } from '../store/collection.js';
import { authView } from '../tokens/auth-view.js';
import { commitGrant } from './commit-grant.js';
import { decideBindings, decideInstance, needsProfileRoles } from './decide-bindings.js';
import { decideDocumentAge } from './document-age.js';
import { grantEc2Token } from './ec2-grant.js';
import { verifyEvidence } from './evidence.js';
import type { Ec2LoginRequest, LoginFlow } from './login-operation.js';
import { findLoginRole } from './role-step.js';

export interface Ec2FlowParts {
  readonly context: MethodContext;
  readonly loadTrustStore: LoadTrustStore;
  /** By instance id; shared with renewal. */
  readonly serializer: KeyedSerializer;
}

/** What was asked of the provider, once a login (LOGIN-7). */
interface GatheredFacts {
  readonly instance: InstanceFacts;
  /** Asked at first need, then remembered. */
  readonly profileRoles: () => Promise<readonly string[] | undefined>;
}

export function createEc2Login(parts: Ec2FlowParts): LoginFlow<Ec2LoginRequest> {
  const { context, loadTrustStore, serializer } = parts;
  return {
    async login(request, call) {
      call.note({ authType: 'ec2', ...(request.nonce.kind === 'text' ? { nonce: request.nonce.text } : {}) });
      const document = await verifyEvidence(context, loadTrustStore, request.evidence, call);
      call.note({ principal: document.instanceId, details: proofDetails(document) });
      const question = { name: request.role ?? document.imageId, authType: 'ec2' } as const;
      const firstRead = await findLoginRole(context, question, call);
      const facts = await gatherFacts(context, document, call);

      let read: Entry<Role> | undefined = firstRead;
      return serializer.run(document.instanceId, () =>
        runOptimistic(async () => {
          const role = read ?? (await findLoginRole(context, question, call));
          read = undefined;
          await checkBindings(role.value, document, facts);
          // Before the nonce is judged: the tag has a say in migration and in reauthentication (TAG-7).
          const { instanceId } = document;
          const tag = await applyRoleTag(context, role.value, { instanceId, tags: facts.instance.tags }, call);
          return admit({ context, role, document, tag, nonce: request.nonce, call });
        }),
      );
    },
  };
}

async function gatherFacts(
  { ports }: MethodContext,
  document: VerifiedDocument,
  call: FlowCall,
): Promise<GatheredFacts> {
  const { accountId, region, instanceId } = document;
  // A login comes seconds after the launch, when the provider may not see the instance yet.
  const query = { accountId, region, instanceId, launchedAfter: parseRfc3339(document.pendingTime) };
  const found = decideInstance(query, await askProvider(() => ports.cloud.describeInstance(query, call)));
  if (!found.allow) throw refuse(found.code);
  const { instance } = found;
  let asked: Promise<readonly string[] | undefined> | undefined;
  return {
    instance,
    profileRoles: () => {
      const { instanceProfileArn } = instance;
      if (instanceProfileArn === undefined) return Promise.resolve(undefined);
      asked ??= askProvider(() => ports.cloud.rolesOfProfile({ accountId, region, instanceProfileArn }, call));
      return asked;
    },
  };
}

async function checkBindings(role: Role, document: VerifiedDocument, facts: GatheredFacts): Promise<void> {
  const decided = decideBindings(role, {
    proven: document,
    instance: facts.instance,
    profileRoleArns: needsProfileRoles(role) ? await facts.profileRoles() : undefined,
  });
  if (!decided.allow) throw refuse(decided.code);
}

interface Admission {
  readonly context: MethodContext;
  readonly role: Entry<Role>;
  readonly document: VerifiedDocument;
  readonly tag: AppliedRoleTag;
  readonly nonce: PresentedNonce;
  readonly call: FlowCall;
}

/** Reauthentication, grant and commit: everything that a conflict makes us decide again. */
async function admit({ context, role, document, tag, nonce, call }: Admission): Promise<Outcome> {
  const { ports, options } = context;
  const now = ports.clock.now();
  const age = decideDocumentAge(role.value.maxDocumentAgeSeconds, document.pendingTime, now);
  if (!age.allow) throw refuse(age.code);

  const { stored, entry } = await findEntry(context, document.instanceId, call);
  const verdict = decideReauthentication({
    entry,
    nonce,
    pendingTime: document.pendingTime,
    allowInstanceMigration: role.value.allowInstanceMigration && tag.effects.allowInstanceMigration,
    disallowReauthentication: role.value.disallowReauthentication || tag.effects.disallowReauthentication,
  });
  if (!verdict.allow) throw refuse(verdict.code);

  const generated = verdict.nonce.order === 'generate' ? createUuid(ports.crypto) : undefined;
  const clientNonce = verdict.nonce.order === 'keep' ? verdict.nonce.text : (generated ?? '');
  const limits = tokenLimits(options, role.value.token, tag.effects.maxTtlSeconds);
  const next = entryAfterLogin(entry, {
    now,
    lifetimeSeconds: entryLifetimeSeconds(limits),
    role: role.value.name,
    pendingTime: document.pendingTime,
    disallow: verdict.disallow,
    clientNonce,
  });
  const question = { role: role.value, document, tagPolicies: tag.effects.policies, limits, now };
  const { issued, warnings } = await grantEc2Token(context, question, call);
  const remember = { instanceId: document.instanceId, role, stored, next, conditions: tag.conditions };
  call.ifUnrecorded(await commitGrant(context, issued, remember, call));

  call.note({
    accessor: issued.record.accessor,
    token: issued.token,
    ...(clientNonce === '' ? {} : { nonce: clientNonce }),
    details: {
      alias: issued.record.aliasName,
      entity_id: issued.record.entityId,
      ...(verdict.migrated ? { migrated: 'true' } : {}),
    },
  });
  const onlyNow = generated === undefined ? {} : { nonce: generated };
  return { auth: authView(issued.token, issued.record, onlyNow), ...(warnings.length > 0 ? { warnings } : {}) };
}

function proofDetails({ accountId, region, imageId, proof }: VerifiedDocument): Readonly<Record<string, string>> {
  return {
    account_id: accountId,
    region,
    ami_id: imageId,
    proof: proof.method,
    algorithm: proof.signatureAlgorithm,
    certificate: proof.certificate,
  };
}
