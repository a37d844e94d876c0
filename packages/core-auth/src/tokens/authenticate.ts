/**
 * Who calls? Each use of a token: known, not expired, from an allowed address, and one use spent where uses are limited
 * (TOKEN-4, TOKEN-5). Every refusal looks the same to the caller.
 */
import type { CallContext } from '../call.js';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { isPeerAllowed } from '../roles/cidr.js';
import { runOptimistic } from '../store/collection.js';
import { openBatchToken } from './batch-token.js';
import { findToken } from './find-token.js';
import { isBatchTokenText } from './issue-token.js';
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
  call: CallContext,
): Promise<TokenRecord> {
  if (token === undefined || token === '') throw permissionDenied('token_missing');
  if (isBatchTokenText(token)) {
    const record = await openBatchToken(context, token, call);
    if (record === undefined) throw permissionDenied('token_unknown');
    if (!isPeerAllowed(record.boundCidrs, call.peerAddress)) throw permissionDenied('token_peer_not_allowed');
    return record;
  }
  return runOptimistic(async () => {
    const entry = await findToken(context, token, call);
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
    await context.ports.storage.commit([write], call);
    return used;
  });
}
