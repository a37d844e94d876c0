/**
 * Bounds the bytes of bodies that requests in progress hold, in total and by peer (WIRE-25, THREAT-35): 1,000 requests that each hold a
 * body took 1 GB. What arrives is counted, not what is declared, so that a peer has to send bytes to use up its share.
 */
import { AuthError } from '@postern/core-auth';
import { peerKey } from '@postern/kernel';

export interface BodyBudgetLimits {
  /** Of all peers. Default 32 MiB. */
  readonly totalBytes?: number | undefined;
  /** Of one peer (IPv6: one /64). Default 4 MiB. */
  readonly peerBytes?: number | undefined;
}

/** The bytes that one request holds. */
export interface BodyAccount {
  /** Counts bytes that arrived. @throws AuthError `server_busy` where they are too many: stop reading. */
  add(bytes: number): void;
  /** The request is answered. */
  close(): void;
}

export interface BodyBudget {
  open(peerAddress: string | undefined): BodyAccount;
}

/** @throws TypeError for a limit below 1. */
export function createBodyBudget(limits: BodyBudgetLimits = {}): BodyBudget {
  const { totalBytes = 32 * 1024 * 1024, peerBytes = 4 * 1024 * 1024 } = limits;
  for (const [name, bytes] of Object.entries({ totalBytes, peerBytes })) {
    if (!(bytes >= 1)) throw new TypeError(`${name}: must be at least 1`);
  }
  let total = 0;
  /** Only of peers that hold some now. */
  const byPeer = new Map<string, number>();

  return {
    open(peerAddress) {
      const peer = peerKey(peerAddress);
      let held = 0;
      return {
        add(bytes) {
          const ofPeer = (byPeer.get(peer) ?? 0) + bytes;
          if (total + bytes > totalBytes || ofPeer > peerBytes) {
            throw new AuthError('server_busy', 'too many request bodies at once; try again', { retryAfterSeconds: 1 });
          }
          held += bytes;
          total += bytes;
          byPeer.set(peer, ofPeer);
        },
        close() {
          if (held === 0) return;
          const left = (byPeer.get(peer) ?? 0) - held;
          total -= held;
          held = 0;
          if (left > 0) byPeer.set(peer, left);
          else byPeer.delete(peer);
        },
      };
    },
  };
}
