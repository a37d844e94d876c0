/** The operator's token: may do everything (TOKEN-8). No login and no renewal ever makes one. */
import { createUuid } from '@postern/kernel';
import type { OpenTrail } from './call.js';
import { toAuthError } from './errors.js';
import type { MethodContext } from './method-context.js';
import { ROOT_POLICY } from './roles/terms.js';
import { issueToken, type TokenDraft } from './tokens/issue-token.js';

export interface RootTokenOptions {
  /** Without it, the token never expires. */
  readonly expiresInSeconds?: number | undefined;
}

/**
 * Makes, stores and audits a root token. Only ever called by the operator, through the host.
 *
 * @throws AuthError `storage_unavailable`, `storage_outcome_unknown`, `audit_unavailable`.
 */
export async function createRootToken(
  context: MethodContext,
  openTrail: OpenTrail,
  { expiresInSeconds }: RootTokenOptions = {},
): Promise<string> {
  if (expiresInSeconds !== undefined && (!Number.isSafeInteger(expiresInSeconds) || expiresInSeconds < 1)) {
    throw new TypeError('expiresInSeconds: a positive whole number of seconds');
  }
  const requestId = createUuid(context.ports.crypto);
  const trail = openTrail('token.create-root', { requestId, peerAddress: undefined });
  trail.annotate({ principal: 'host' });
  try {
    const issued = await issueToken(context, rootDraft(context.ports.clock.now(), expiresInSeconds));
    const { token, record } = issued;
    await trail.commit([issued.write], { facts: { token, accessor: record.accessor } });
    return issued.token;
  } catch (error) {
    const failed = toAuthError(error, undefined);
    if (failed.code !== 'audit_unavailable') await trail.record(failed);
    throw failed;
  }
}

function rootDraft(now: number, expiresInSeconds: number | undefined): TokenDraft {
  const ttlSeconds = expiresInSeconds ?? 0;
  return {
    ...(expiresInSeconds === undefined ? {} : { expiresAt: now + expiresInSeconds * 1000 }),
    policies: [ROOT_POLICY],
    metadata: {},
    displayName: 'root',
    aliasName: '',
    aliasMetadata: {},
    entityId: '',
    path: 'auth/token/root',
    issuedAt: now,
    ttlSeconds,
    creationTtlSeconds: ttlSeconds,
    explicitMaxTtlSeconds: 0,
    periodSeconds: 0,
    numUses: 0,
    boundCidrs: [],
    renewable: false,
  };
}
