/**
 * The nonce that binds an instance to its first login (NONCE-1, NONCE-3). An instance that loses it is locked out, so it is kept before it is
 * sent: an answer that never arrives, or a crash right after it, finds it again.
 */
import { randomBytes } from 'node:crypto';

/** Keeps nonces. One of your own must be as safe as the instance itself, and live as long. */
export interface NonceStore {
  /**
   * Keeps `proposed` under the key unless a nonce is kept there already; durable once it resolves. Of several at once, in one
   * process or in many, exactly one proposal is kept, and all get that one.
   *
   * @returns the nonce that is kept.
   */
  keep(key: string, proposed: string): Promise<string>;
}

/**
 * What a nonce belongs to. Not to a role: the server binds the instance, and asks for the same nonce whatever role is meant.
 *
 * @param scope the server's address, or what its addresses have in common
 */
export function nonceKey(scope: string, mountPath: string, instanceId: string): string {
  return JSON.stringify([scope, mountPath, instanceId]);
}

/** 128 bits. */
export function makeNonce(): string {
  return randomBytes(16).toString('hex');
}

/** For tests, and for processes that live as long as their instance. */
export function memoryNonceStore(): NonceStore {
  const kept = new Map<string, string>();
  return {
    keep: async (key, proposed) => {
      const nonce = kept.get(key) ?? proposed;
      kept.set(key, nonce);
      return nonce;
    },
  };
}
