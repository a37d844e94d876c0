/** The operator's token: may do everything and never expires (decision K5). No login and no renewal ever makes one. */
import type { MethodContext } from '../method-context.js';
import { type IssuedToken, issueToken } from './issue-token.js';
import { ROOT_POLICY } from './policies.js';

/** Makes the token; the caller commits its record. */
export async function issueRootToken(context: MethodContext): Promise<IssuedToken> {
  return issueToken(context, {
    policies: [ROOT_POLICY],
    metadata: {},
    displayName: 'root',
    aliasName: '',
    aliasMetadata: {},
    entityId: '',
    path: 'auth/token/root',
    issuedAt: context.ports.clock.now(),
    ttlSeconds: 0,
    creationTtlSeconds: 0,
    explicitMaxTtlSeconds: 0,
    periodSeconds: 0,
    numUses: 0,
    boundCidrs: [],
    renewable: false,
  });
}
