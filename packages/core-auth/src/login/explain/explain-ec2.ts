/**
 * Why an instance may log in against a role, or why not: walks the steps of `ec2-login.ts` and collects every check instead of
 * stopping at the first that fails (EXPLAIN-1, LOGIN-3). Reads; writes nothing.
 */
import type { PresentedNonce } from '../../access-list/entry.js';
import type { FlowCall } from '../../call.js';
import type { LoadTrustStore } from '../../config/trust-store-loader.js';
import type { VerifiedDocument } from '../../evidence/identity-document/document.js';
import type { MethodContext } from '../../method-context.js';
import type { Role } from '../../roles/role.js';
import { verifyEvidence } from '../ec2-login.js';
import {
  decideBounds,
  decideReentry,
  decideRoleTag,
  decideTerms,
  EC2_CHECKS,
  gatherFacts,
  type InstanceClaims,
} from '../ec2-steps.js';
import type { Ec2LoginRequest } from '../login-operation.js';
import { type CheckResult, collectChecks, judgeRole } from '../role-checks.js';

export type Ec2Question =
  | { readonly authType: 'ec2'; readonly proof: Ec2LoginRequest }
  | { readonly authType: 'ec2'; readonly claims: InstanceClaims; readonly nonce: PresentedNonce };

export interface Explanation {
  readonly context: MethodContext;
  /** The role of the path; undefined where none is stored. */
  readonly role: Role | undefined;
  /** From where the login would come. */
  readonly peerAddress: string | undefined;
  readonly call: FlowCall;
}

/** @throws AuthError of kind `unavailable` where the provider or the storage could not be asked. */
export function explainEc2(
  { context, role, peerAddress, call }: Explanation,
  loadTrustStore: LoadTrustStore,
  question: Ec2Question,
): Promise<readonly CheckResult[]> {
  return collectChecks(EC2_CHECKS, async (checks) => {
    let claims: InstanceClaims | undefined;
    if ('proof' in question) {
      const ask = () => verifyEvidence(context, loadTrustStore, question.proof.evidence, call);
      claims = await checks.attempt('evidence', ask, describeDocument);
    } else {
      claims = question.claims;
      checks.skip('evidence', 'facts were given, not a proof');
    }
    judgeRole(checks, role, 'ec2', peerAddress);
    if (claims === undefined) return;

    const step = { context, checks, call };
    const facts = await gatherFacts(step, claims);
    await decideBounds(step, role, claims, facts);
    const { effects } = await decideRoleTag(step, role, claims, facts.instance);
    const now = context.ports.clock.now();
    const { nonce } = 'proof' in question ? question.proof : question;
    await decideReentry(step, role, claims, nonce, effects, now);
    decideTerms(step, role, effects, now);
  });
}

function describeDocument({ instanceId, accountId, region, imageId, proof }: VerifiedDocument): string {
  return `${instanceId} of image ${imageId} in ${accountId}, ${region}; ${proof.method}, ${proof.signatureAlgorithm}`;
}
