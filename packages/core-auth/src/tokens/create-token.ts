/**
 * Child tokens (TOKEN-12): a token makes another that holds no more than itself and ends with it. `root` and the host may
 * grant any policy, a period, and a token without a parent.
 */
import * as z from 'zod';
import { trustedNow } from '../clock-skew.js';
import { AuthError } from '../errors.js';
import { durationField } from '../fields/duration-field.js';
import { booleanField, described, integerField, listField, textField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import { refuse } from '../refuse.js';
import { isBlockWithin, parseCidr } from '../roles/cidr.js';
import {
  DEFAULT_POLICY,
  decideLifetime,
  lifetimeCut,
  normalizePolicies,
  ROOT_POLICY,
  tokenLimits,
} from '../roles/terms.js';
import { authOutput, authView } from './auth-view.js';
import { issueToken, type TokenDraft } from './issue-token.js';
import type { TokenRecord } from './token-record.js';

/** Each use of a child reads the records of all its parents. */
const MAX_PARENTS = 8;
const MAX_META = 64;
const MAX_META_CHARACTERS = 512;
const MAX_DISPLAY_NAME_CHARACTERS = 128;

const EXPECTED_META = `an object of at most ${MAX_META} texts, each of at most ${MAX_META_CHARACTERS} characters`;
const metaField = z
  .record(z.string(), z.string().max(MAX_META_CHARACTERS, { error: EXPECTED_META }), { error: EXPECTED_META })
  .refine((meta) => Object.keys(meta).length <= MAX_META, { error: EXPECTED_META })
  .nullable();

const fields = z.object({
  policies: described(listField, 'Policies of the child, some of those of the parent; without them, all.'),
  no_default_policy: described(booleanField, 'Leave the policy `default` out.'),
  ttl: described(durationField, 'Lifetime; without one, the default of the mount.'),
  explicit_max_ttl: described(durationField, 'Hard cap on the lifetime, renewals included.'),
  period: described(durationField, 'Period of a periodic token; `root` only.'),
  num_uses: described(integerField, 'How often the child may be used; 0 for any number.'),
  renewable: described(booleanField, 'Whether the child can be renewed; default true.'),
  display_name: described(textField, 'Appended to `token-`.'),
  meta: described(metaField, 'Metadata of the child.'),
  bound_cidrs: described(
    listField,
    'Addresses and blocks from which the child may be used, within those of the parent.',
  ),
  no_parent: described(booleanField, 'The child does not end with the parent; `root` only.'),
  type: described(textField, '`service`, `default` or empty.'),
});

type Fields = z.output<typeof fields>;

export function createTokenCreation(context: MethodContext) {
  const { options, collections } = context;
  return defineOperation({
    id: 'token.create',
    summary: 'Make a child token, which holds no more than the caller and ends with it',
    verb: 'write',
    scope: 'token',
    path: 'create',
    access: 'management',
    fields,
    auth: authOutput,
    async handle(request) {
      const parent = request.caller?.record;
      const now = trustedNow(context);
      const wanted = decideChild(parent, request.fields);
      const lifetime = decideLifetime({
        limits: tokenLimits(options, { ...wanted, ttlSeconds: request.fields.ttl ?? 0, maxTtlSeconds: 0 }, 0),
        issuedAt: now,
        now,
      });
      if (!lifetime.allow) throw refuse(lifetime.code);
      const { ttlSeconds, cut } = lifetime;
      const draft = {
        ...wanted,
        issuedAt: now,
        expiresAt: now + ttlSeconds * 1000,
        ttlSeconds,
        creationTtlSeconds: ttlSeconds,
      };
      const issued = await issueToken(context, draft);
      const { token, record } = issued;
      const living = (draft.parents ?? []).map((accessor) => collections.tokens.check(accessor, 'present'));
      await request.commit([issued.write, ...living], { facts: { token, accessor: record.accessor } });
      return { auth: authView(token, record), ...(cut ? { warnings: [lifetimeCut(ttlSeconds)] } : {}) };
    },
  });
}

type Child = Omit<TokenDraft, 'issuedAt' | 'expiresAt' | 'ttlSeconds' | 'creationTtlSeconds'>;

/**
 * What a child may hold. Pure.
 *
 * @param parent undefined where the host makes the token: it may do what `root` may.
 * @throws AuthError `child_token_not_allowed`, `child_policies_not_subset`, `child_option_not_allowed`, `field_invalid`.
 */
function decideChild(parent: TokenRecord | undefined, sent: Fields): Child {
  const isRoot = parent === undefined || parent.policies.includes(ROOT_POLICY);
  const parents = parent === undefined ? [] : [parent.accessor, ...(parent.parents ?? [])];
  requireParent(parent, parents);
  requireFields(sent);
  const isOrphan = parent === undefined || sent.no_parent === true;
  if (!isRoot && (sent.no_parent === true || (sent.period ?? 0) > 0)) {
    throw new AuthError('child_option_not_allowed', 'period, no_parent: only for a root token');
  }
  const numUses = sent.num_uses ?? 0;
  return {
    policies: policiesOf(parent, sent),
    metadata: sent.meta ?? {},
    displayName: sent.display_name ? `token-${sent.display_name}` : 'token',
    aliasName: isOrphan ? '' : parent.aliasName,
    aliasMetadata: isOrphan ? {} : parent.aliasMetadata,
    entityId: isOrphan ? '' : parent.entityId,
    path: 'auth/token/create',
    explicitMaxTtlSeconds: sent.explicit_max_ttl ?? 0,
    periodSeconds: sent.period ?? 0,
    numUses,
    ...(numUses > 0 ? { usesLeft: numUses } : {}),
    boundCidrs: cidrsOf(parent, sent.bound_cidrs ?? []),
    renewable: sent.renewable ?? true,
    ...(isOrphan ? {} : { parents }),
    renewal: { authType: 'token' },
  };
}

function requireParent(parent: TokenRecord | undefined, parents: readonly string[]): void {
  if (parent === undefined) return;
  const why =
    parent.type === 'batch'
      ? 'a batch token makes no child tokens'
      : parent.numUses > 0
        ? 'a token of limited uses makes no child tokens'
        : parents.length > MAX_PARENTS
          ? `a token with ${MAX_PARENTS} parents makes no child tokens`
          : undefined;
  if (why !== undefined) throw new AuthError('child_token_not_allowed', why);
}

function requireFields({ type = '', num_uses: uses = 0, display_name: name = '' }: Fields): void {
  const reject = (field: string, expected: string) => {
    throw new AuthError('field_invalid', `${field}: must be ${expected}`, { details: { field, expected } });
  };
  if (!['', 'default', 'service'].includes(type)) reject('type', 'service, default or empty');
  if (uses < 0) reject('num_uses', 'zero or more');
  if (name.length > MAX_DISPLAY_NAME_CHARACTERS || !/^[ -~]*$/.test(name)) {
    reject('display_name', `at most ${MAX_DISPLAY_NAME_CHARACTERS} printable ASCII characters`);
  }
}

/** `default` goes with the policies where the parent holds it, or may grant anything. */
function policiesOf(parent: TokenRecord | undefined, sent: Fields): readonly string[] {
  const isRoot = parent === undefined || parent.policies.includes(ROOT_POLICY);
  const asked = sent.policies === undefined || sent.policies.length === 0 ? (parent?.policies ?? []) : sent.policies;
  const addsDefault = sent.no_default_policy !== true && (isRoot || parent.policies.includes(DEFAULT_POLICY));
  const policies = normalizePolicies(addsDefault ? [...asked, DEFAULT_POLICY] : asked);
  if (policies.includes(ROOT_POLICY)) {
    // The host makes root tokens by `createRootToken` alone.
    if (parent?.policies.includes(ROOT_POLICY) === true) return [ROOT_POLICY];
    throw refuse('policy_not_grantable');
  }
  if (isRoot || policies.every((policy) => parent.policies.includes(policy))) return policies;
  throw new AuthError('child_policies_not_subset', 'policies: must be some of those of the parent token');
}

function cidrsOf(parent: TokenRecord | undefined, sent: readonly string[]): readonly string[] {
  const own = parent?.boundCidrs ?? [];
  const bad = sent.find((text) => parseCidr(text) === undefined);
  if (bad !== undefined)
    throw new AuthError('field_invalid', 'bound_cidrs: must be addresses or blocks', {
      details: { field: 'bound_cidrs' },
    });
  if (sent.length === 0 || own.length === 0) return sent.length === 0 ? own : sent;
  if (sent.every((text) => own.some((outer) => isBlockWithin(text, outer)))) return sent;
  throw new AuthError('child_option_not_allowed', 'bound_cidrs: must lie within those of the parent token');
}
