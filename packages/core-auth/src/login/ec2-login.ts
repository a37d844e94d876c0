/**
 * An instance logs in (LOGIN-3, LOGIN-7, LOGIN-8). Six steps: evidence verified, role found, facts gathered, bindings decided,
 * reauthentication decided, grant made; then one commit of access-list entry and token together. A conflict makes it read
 * and decide again, never ask the provider again.
 */
import { createUuid, type KeyedSerializer, readAhead } from '@postern/kernel';
import type { CallOptions, EpochMillis } from '@postern/ports';
import { entryAfterLogin, type InstancePlace } from '../access-list/entry.js';
import type { FlowCall } from '../call.js';
import { trustedNow } from '../clock-skew.js';
import type { LoadTrustStore } from '../config/trust-store-loader.js';
import type { VerifiedDocument } from '../evidence/identity-document/document.js';
import type { TrustStore } from '../evidence/identity-document/trust-store.js';
import { verifyIdentitySignature } from '../evidence/identity-document/verify-identity-signature.js';
import { verifyPkcs7 } from '../evidence/identity-document/verify-pkcs7.js';
import { foldRoleName, isName } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import type { GrantAnswer } from '../operation.js';
import type { Role } from '../roles/role.js';
import { entryLifetimeSeconds, type LifetimeLimits } from '../roles/terms.js';
import { type Entry, IDENTITY_CONFIG_ID, runOptimistic, unchanged } from '../store/collection.js';
import { DEFAULT_IDENTITY_CONFIG, describeEc2Grant } from '../tokens/alias.js';
import { authView } from '../tokens/auth-view.js';
import {
  type AppliedRoleTag,
  type DecidedReauthentication,
  decideBounds,
  decideReentry,
  decideRoleTag,
  decideTerms,
  gatherFacts,
} from './ec2-steps.js';
import { commitToken, displayName, type Grant, grantToken } from './grant-token.js';
import { type Ec2Evidence, type Ec2LoginRequest, type LoginFlow, withReadAhead } from './login-operation.js';
import { findLoginRole, stopAtFirstFailure, type Terms } from './role-checks.js';

export interface Ec2FlowParts {
  readonly context: MethodContext;
  readonly loadTrustStore: LoadTrustStore;
  /** By instance id; shared with renewal. */
  readonly serializer: KeyedSerializer;
}

export function createEc2Login({ context, loadTrustStore, serializer }: Ec2FlowParts): LoginFlow<Ec2LoginRequest> {
  const { ports, collections } = context;

  /** Of all that the login of an instance reads, but for its tag on the deny list: the cloud names the tag. */
  function keysOf({ instanceId }: VerifiedDocument, role: string): readonly string[] {
    const { accessList, identityConfig, roles } = collections;
    const keys = [loadTrustStore.markKey, accessList.prefix + instanceId, identityConfig.prefix + IDENTITY_CONFIG_ID];
    return isName(role) ? [...keys, roles.prefix + foldRoleName(role)] : keys;
  }

  /**
   * Verifies by the certificates as last loaded, to know what to read; what is read tells whether they are still those. Where they
   * are not, the evidence is verified again: only what is trusted now counts.
   */
  async function proveAndRead(
    evidence: Ec2Evidence,
    read: (document: VerifiedDocument) => Promise<void>,
    call: FlowCall,
  ): Promise<VerifiedDocument> {
    const last = loadTrustStore.last();
    const early = last && verifyBy(context, last, evidence);
    const document = await early?.catch(() => undefined);
    if (document !== undefined) await read(document);
    const trustStore = await loadTrustStore(call);
    return early !== undefined && trustStore === last ? early : verifyBy(context, trustStore, evidence);
  }

  return {
    async login({ evidence, role: name, nonce }, given) {
      const call = withReadAhead(given);
      call.annotate({ authType: 'ec2', nonce: nonce.kind === 'text' ? nonce.text : undefined });
      const read = (proven: VerifiedDocument) => readAhead(ports.storage, keysOf(proven, name ?? proven.imageId), call);
      const document = await proveAndRead(evidence, read, call);
      call.annotate({ principal: document.instanceId, details: proofDetails(document) });

      const findRole = () => findLoginRole(context, { name: name ?? document.imageId, authType: 'ec2' }, call);
      const firstRole = await findRole();

      const step = { context, checks: stopAtFirstFailure, call };
      const facts = await gatherFacts(step, document);

      return serializer.run(document.instanceId, () =>
        runOptimistic(async (conflicts) => {
          if (conflicts > 0) await read(document);
          const role = conflicts === 0 ? firstRole : await findRole();
          await decideBounds(step, role.value, document, facts);
          // Before the nonce is judged: the tag has a say in migration and in reauthentication (TAG-7).
          const tag = await decideRoleTag(step, role.value, document, facts.instance);

          const now = trustedNow(context);
          const reentry = await decideReentry(step, role.value, document, nonce, tag.effects, now);

          const { terms, limits } = decideTerms(step, role.value, tag.effects, now);
          if (reentry === undefined || terms === undefined) return step.checks.end();
          return admit({ context, role, document, tag, reentry, terms, limits, now, call });
        }),
      );
    },
  };
}

/**
 * Proven: the provider signed this document. Not proven: that the instance still runs, or that the sender is it.
 *
 * @throws AuthError `evidence_unverified`.
 */
export async function verifyEvidence(
  context: MethodContext,
  loadTrustStore: LoadTrustStore,
  evidence: Ec2Evidence,
  options: CallOptions,
): Promise<VerifiedDocument> {
  return verifyBy(context, await loadTrustStore(options), evidence);
}

async function verifyBy(
  { ports: { clock, crypto } }: MethodContext,
  trustStore: TrustStore,
  evidence: Ec2Evidence,
): Promise<VerifiedDocument> {
  if (evidence.method === 'pkcs7') {
    return verifyPkcs7({ pkcs7: evidence.pkcs7, trustStore, verifier: crypto, digest: crypto, now: clock.now() });
  }
  return verifyIdentitySignature({ ...evidence, trustStore, verifier: crypto });
}

/** What was decided of a login. */
interface Admission {
  readonly context: MethodContext;
  readonly role: Entry<Role>;
  readonly document: VerifiedDocument;
  readonly tag: AppliedRoleTag;
  readonly reentry: DecidedReauthentication;
  readonly terms: Terms;
  readonly limits: LifetimeLimits;
  readonly now: EpochMillis;
  readonly call: FlowCall;
}

/** The grant and its commit. */
async function admit(admission: Admission): Promise<GrantAnswer> {
  const { context, role, document, tag, reentry, limits, now, call } = admission;
  const { stored, verdict } = reentry;
  const generated = verdict.nonce.order === 'generate' ? createUuid(context.ports.crypto) : undefined;
  const clientNonce = verdict.nonce.order === 'keep' ? verdict.nonce.text : (generated ?? '');
  const { issued, warnings } = await grantEc2Token(admission);
  const next = entryAfterLogin(stored?.value, {
    now,
    lifetimeSeconds: entryLifetimeSeconds(limits),
    role: role.value.name,
    pendingTime: document.pendingTime,
    disallow: verdict.disallow,
    clientNonce,
    place: instancePlace(context, document),
  });
  // All or nothing (LOGIN-8): entry and token, if what they rest on is as it was read.
  const { accessList, roles } = context.collections;
  const operations = [
    accessList.put(document.instanceId, next, unchanged(stored), next.expiresAt),
    roles.check(role.id, unchanged(role)),
    ...tag.conditions,
  ];
  const facts = {
    nonce: clientNonce === '' ? undefined : clientNonce,
    details: verdict.migrated ? { migrated: 'true' } : undefined,
  };
  await commitToken(context, issued, operations, facts, call);
  const onlyNow = generated === undefined ? {} : { nonce: generated };
  const auth = authView(issued.token, issued.record, onlyNow);
  return warnings.length > 0 ? { auth, warnings } : { auth };
}

/** Makes the token (TOKEN-1, ALIAS-4, ALIAS-5). Nothing is stored: a refusal here leaves no trace on the access list. */
async function grantEc2Token({ context, role, document, terms, limits, now, call }: Admission): Promise<Grant> {
  const { accountId, region, instanceId } = document;
  const { name, roleId, token } = role.value;
  const { tagMaxTtlSeconds } = limits;
  const stored = await context.collections.identityConfig.get(IDENTITY_CONFIG_ID, call);
  const config = stored?.value ?? DEFAULT_IDENTITY_CONFIG;
  const input = {
    parameters: token,
    terms,
    identity: describeEc2Grant({ config, document, role: role.value, tagMaxTtlSeconds }),
    displayName: displayName(context.options.mountPath),
    renewal: { authType: 'ec2', role: name, roleId, instanceId, accountId, region, tagMaxTtlSeconds },
    now,
  } as const;
  return grantToken(context, input, call);
}

/** What an entry remembers of the place, once every node can read that (STORE-5). */
export function instancePlace(
  { options }: MethodContext,
  { accountId, region }: { readonly accountId: string; readonly region: string },
): InstancePlace {
  return options.recordFormat() > 1 ? { accountId, region } : undefined;
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
