/**
 * Who calls? A token is found by its digest (TOKEN-1), and each use of it is judged: known, not expired, from an allowed address,
 * and one use spent where uses are limited (TOKEN-4, TOKEN-5). Every refusal looks the same to the caller.
 */
import { encodeUtf8, equalConstantTime } from '@postern/kernel';
import type { CallOptions } from '@postern/ports';
import type { CallContext, CommitEffect, FlowCall, OpenTrail } from '../call.js';
import { hasEnded, requireTrustedClock } from '../clock-skew.js';
import { AuthError, isAuthError, toAuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { isPeerAllowed } from '../roles/cidr.js';
import { type Entry, runOptimistic } from '../store/collection.js';
import { openBatchToken } from './batch-token.js';
import { digestToken, isBatchTokenText, MAX_TOKEN_CHARACTERS } from './issue-token.js';
import type { TokenRecord } from './token-record.js';

/** The refusal of TOKEN-7: the same text and code whatever the reason; `reason` is for the audit event. */
export function permissionDenied(reason: string): AuthError {
  return new AuthError('permission_denied', 'permission denied', { reason });
}

/**
 * Spends one use of the token and returns its record as it stands after it. With the last use the record is gone.
 *
 * @throws AuthError `permission_denied`; `storage_contended` under extreme contention on one token.
 */
export async function authenticate(
  context: MethodContext,
  token: string | undefined,
  call: CallContext & Pick<FlowCall, 'commit'>,
): Promise<TokenRecord> {
  if (token === undefined || token === '') throw permissionDenied('token_missing');
  if (isBatchTokenText(token)) {
    const record = await openBatchToken(context, token, call);
    requireTrustedClock(context);
    if (record === undefined) throw permissionDenied('token_unknown');
    if (!isPeerAllowed(record.boundCidrs, call.peerAddress)) throw permissionDenied('token_peer_not_allowed');
    return record;
  }
  return runOptimistic(async () => {
    const entry = await findToken(context, token, call);
    // Whether it has expired only a clock can say that is right.
    if (entry?.value.expiresAt !== undefined || entry === undefined) requireTrustedClock(context);
    if (entry === undefined) throw permissionDenied('token_unknown');
    const { value: record, version } = entry;
    if (!isPeerAllowed(record.boundCidrs, call.peerAddress)) throw permissionDenied('token_peer_not_allowed');
    if (record.usesLeft === undefined) return record;

    const { tokens } = context.collections;
    const used = { ...record, usesLeft: record.usesLeft - 1 };
    const write =
      used.usesLeft > 0
        ? tokens.put(entry.id, used, { version }, record.expiresAt)
        : tokens.delete(entry.id, { version });
    await call.commit([write], {
      intent: true,
      facts: { accessor: record.accessor, details: { uses_left: String(used.usesLeft) } },
    });
    return used;
  });
}

/** Either kind of token, by its text. */
export async function findTokenRecord(
  context: MethodContext,
  token: string,
  options?: CallOptions,
): Promise<TokenRecord | undefined> {
  if (isBatchTokenText(token)) return openBatchToken(context, token, options);
  return (await findToken(context, token, options))?.value;
}

/** A service token, by its text. */
export async function findToken(
  context: MethodContext,
  token: string,
  options?: CallOptions,
): Promise<Entry<TokenRecord> | undefined> {
  if (token === '' || token.length > MAX_TOKEN_CHARACTERS) return undefined;
  const { accessor, digest } = await digestToken(context.ports.crypto, token);
  const entry = await findTokenByAccessor(context, accessor, options);
  if (entry === undefined) return undefined;
  return equalConstantTime(encodeUtf8(entry.value.digest), encodeUtf8(digest)) ? entry : undefined;
}

const ACCESSOR = /^[0-9a-f]{40}$/;

/** By accessor. Says nothing of whether the caller holds the token. */
export async function findTokenByAccessor(
  context: MethodContext,
  accessor: string,
  options?: CallOptions,
): Promise<Entry<TokenRecord> | undefined> {
  // An accessor comes from outside and becomes part of a storage key.
  if (!ACCESSOR.test(accessor)) return undefined;
  const { tokens } = context.collections;
  const entry = await tokens.get(accessor, options);
  if (entry === undefined || hasEnded(context, entry.value.expiresAt)) return undefined;
  const { parents = [] } = entry.value;
  if (parents.length === 0) return entry;
  // A child ends with any of them (TOKEN-12), at once and without a sweep.
  const living = await tokens.getMany(parents, options);
  return living.every((parent) => parent !== undefined && !hasEnded(context, parent.value.expiresAt))
    ? entry
    : undefined;
}

/**
 * Whether a token that was judged before in a call holds still (TOKEN-15): neither revoked nor expired since. Counts no use, and the
 * last use that was counted does not end it.
 */
export async function holdsStill(
  context: MethodContext,
  token: string,
  { usesLeft }: TokenRecord,
  options?: CallOptions,
): Promise<boolean> {
  return usesLeft === 0 || (await findTokenRecord(context, token, options)) !== undefined;
}

export interface TokenHolder {
  /**
   * For trails and histories, with kind and account (TOKEN-9): `iam role deploy/build-42 (123456789012)`,
   * `instance i-0123456789abcdef0 (123456789012)`, `root`.
   */
  readonly name: string;
  /** Normalised; `root` may do everything. */
  readonly policies: readonly string[];
  /** Whether its uses are counted: this was one of them. */
  readonly isLimited: boolean;
  /**
   * Whether the token holds still: for work that waited for its input. Counts no use.
   *
   * @throws AuthError of kind `unavailable`, or `internal`.
   */
  holds(): Promise<boolean>;
}

/**
 * One use of a token.
 *
 * @returns undefined where it cannot be used, whatever the reason.
 * @throws AuthError of any code but `permission_denied`.
 */
export async function findTokenHolder(
  context: MethodContext,
  token: string,
  call: CallContext,
  openTrail: OpenTrail,
): Promise<TokenHolder | undefined> {
  // What the use is for has its event from the service that asks: here it is the spending that leaves one.
  const commit: CommitEffect = (operations, step) => {
    const trail = openTrail('token.use', call);
    trail.annotate({ token });
    return trail.commit(operations, { ...step, intent: false });
  };
  try {
    const record = await authenticate(context, token, { ...call, commit });
    return {
      name: nameOf(record),
      policies: record.policies,
      isLimited: record.numUses > 0,
      async holds() {
        try {
          return await holdsStill(context, token, record, call);
        } catch (error) {
          throw toAuthError(error, call.signal);
        }
      },
    };
  } catch (error) {
    if (isAuthError(error) && error.code === 'permission_denied') return undefined;
    throw toAuthError(error, call.signal);
  }
}

/**
 * From the facts that renewal re-checks, not from a display name: an IAM user may be called `i-0123456789abcdef0`, and
 * neither users, roles nor sessions have blanks or brackets in their names.
 */
function nameOf({ displayName, renewal, entityId, type }: TokenRecord): string {
  if (type === 'batch') return `batch token ${displayName} (${entityId})`;
  switch (renewal?.authType) {
    case 'ec2':
      return `instance ${renewal.instanceId} (${renewal.accountId})`;
    case 'iam': {
      const { clientArn, accountId, inferredEntityId } = renewal;
      const principal = iamName(clientArn);
      const instance = inferredEntityId === '' ? '' : `, instance ${inferredEntityId}`;
      return `${principal} (${accountId})${instance}`;
    }
    default:
      return displayName;
  }
}

/** `arn:aws:sts::123456789012:assumed-role/deploy/build-42`, `arn:aws:iam::123456789012:user/team/Bob`. */
function iamName(stsArn: string): string {
  const resource = stsArn.split(':').slice(5).join(':');
  const assumed = /^assumed-role\/(.+)$/.exec(resource)?.[1];
  return assumed === undefined ? `iam ${resource.replace('/', ' ')}` : `iam role ${assumed}`;
}
