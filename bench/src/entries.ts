/** Entries of the access list as logins leave them. */
import type { Storage } from '@postern/ports';

const PREFIX = 'postern/auth/access-list/';
const DAY_MS = 86_400_000;
const PER_COMMIT = 25;
const COMMITS_AT_ONCE = 100;

/** @param idOf the instance of each number from 0. @param expiresAt epoch milliseconds */
export async function putEntries(
  storage: Storage,
  count: number,
  idOf: (number: number) => string,
  expiresAt: number,
): Promise<void> {
  const value = JSON.stringify({
    role: 'bench',
    clientNonce: '0b6f7c1e-6d1e-4d5e-8a57-2f1c7f0f9a11',
    disallowReauthentication: false,
    pendingTime: '2026-01-01T00:00:00Z',
    createdAt: expiresAt - 32 * DAY_MS,
    updatedAt: expiresAt - 32 * DAY_MS,
    expiresAt,
  });
  for (let at = 0; at < count; at += PER_COMMIT * COMMITS_AT_ONCE) {
    const commits = Math.min(COMMITS_AT_ONCE, Math.ceil((count - at) / PER_COMMIT));
    await Promise.all(
      Array.from({ length: commits }, (_, batch) =>
        storage.commit(
          Array.from({ length: Math.min(PER_COMMIT, count - at - batch * PER_COMMIT) }, (_one, offset) => {
            const key = PREFIX + idOf(at + batch * PER_COMMIT + offset);
            return { type: 'put' as const, key, value, expiresAt, if: 'any' as const };
          }),
        ),
      ),
    );
  }
}
