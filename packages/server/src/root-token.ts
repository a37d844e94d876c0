/** The operator's first token: made once for an installation, shown once, never kept (TOKEN-8). */
import type { AuthMethod } from '@postern/core-auth';
import { type Clock, isConflict, type Storage } from '@postern/ports';

/** Says that a root token was handed out here. Not the token, not its digest: the method keeps that among all tokens. */
const MARKER_KEY = 'postern/server/root-token-issued';

/**
 * Makes the root token of a new installation.
 *
 * The token comes before the marker: a crash between the two leaves a token that nobody has ever seen, and the next start
 * makes another; the other order could leave an installation that nobody can manage. Of nodes that start at once one has
 * the marker; the others revoke theirs.
 *
 * @returns undefined where one was made before.
 */
export async function firstRootToken(storage: Storage, method: AuthMethod, clock: Clock): Promise<string | undefined> {
  if ((await storage.get(MARKER_KEY)) !== undefined) return undefined;
  const token = await method.createRootToken();
  const value = JSON.stringify({ issuedAt: clock.now() });
  try {
    await storage.commit([{ type: 'put', key: MARKER_KEY, value, if: 'absent' }]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    await revokeToken(method, token, 'first-root-token');
    return undefined;
  }
  return token;
}

/**
 * Makes another, for an operator who lost theirs.
 *
 * @param expiresInSeconds without it, the token never expires.
 */
export async function anotherRootToken(
  storage: Storage,
  method: AuthMethod,
  clock: Clock,
  expiresInSeconds?: number,
): Promise<string> {
  const token = await method.createRootToken({ expiresInSeconds });
  const value = JSON.stringify({ issuedAt: clock.now() });
  await storage.commit([{ type: 'put', key: MARKER_KEY, value, if: 'any' }]);
  return token;
}

/** Revokes a token with its own right, as its holder would. */
export async function revokeToken(method: AuthMethod, token: string, requestId: string): Promise<void> {
  const call = { params: {}, fields: {}, token, requestId, peerAddress: undefined };
  await method.handle({ ...call, operation: 'token.revoke-self' });
}

/** The token on the terminal, marked so that nobody takes it for a line of the log. */
export function rootTokenNotice(token: string): string {
  return [
    '',
    '=== Root token: shown once, not stored =============================================',
    `  ${token}`,
    `  ${rootTokenRights()}. Keep it safe; revoke it after setup.`,
    '=====================================================================================',
    '',
    '',
  ].join('\n');
}

/** @param expiresAt undefined: never. */
export function rootTokenRights(expiresAt?: number): string {
  const end = expiresAt === undefined ? 'never expires' : `expires at ${new Date(expiresAt).toISOString()}`;
  return `It grants every permission and ${end}`;
}
