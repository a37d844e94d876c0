/** Who holds a token, as other services of the host may know it (TOKEN-9): a name and policies, nothing secret. */
import type { CallContext } from '../call.js';
import { isAuthError, toAuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { authenticate } from './authenticate.js';
import type { TokenRecord } from './token-record.js';

export interface TokenHolder {
  /** For trails and histories: `cloud-deploy/build-42`, `cloud-i-0123456789abcdef0`, `root`. */
  readonly name: string;
  /** Normalised; `root` may do everything. */
  readonly policies: readonly string[];
  /** Whether its uses are counted: this was one of them. */
  readonly isLimited: boolean;
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
): Promise<TokenHolder | undefined> {
  try {
    const record = await authenticate(context, token, call);
    return { name: nameOf(record), policies: record.policies, isLimited: record.numUses > 0 };
  } catch (error) {
    if (isAuthError(error) && error.code === 'permission_denied') return undefined;
    throw toAuthError(error, call.signal);
  }
}

/** The display name of an `ec2` login is that of its mount only: the instance makes it somebody. */
function nameOf({ displayName, renewal, entityId, type }: TokenRecord): string {
  if (renewal?.authType === 'ec2') return `${displayName}-${renewal.instanceId}`;
  return type === 'batch' ? `${displayName} (${entityId})` : displayName;
}
