/**
 * How long the body of a request may take (THREAT-35). Every body has one deadline. One that the application lets in as an
 * upload has a pace to keep instead: so many bytes in each stretch of time, so that a large archive over a slow line
 * arrives and a client that drips does not stay. Only the application lets in, once it knows who sends; how long any
 * request may take at most is Node's own limit.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface PaceLimits {
  /** Until a body is there. Milliseconds. */
  readonly bodyTimeout: number;
  /** An upload brings `uploadBytes` in each of these, or it is over. Milliseconds. */
  readonly uploadStretch: number;
  readonly uploadBytes: number;
}

export interface BodyPace {
  /** A request's head is there: its body is waited for from now on. */
  begin(incoming: IncomingMessage): void;
  /** This one's body is an upload. */
  letUploadIn(incoming: IncomingMessage): void;
  /** Looks at all of them. To be called every now and then; times are judged as finely as that. */
  check(): void;
}

interface Watched {
  readonly incoming: IncomingMessage;
  /** When the present stretch began; undefined until it is looked at first. */
  since: number | undefined;
  /** What the connection had brought then. */
  bytes: number;
  isUpload: boolean;
}

/** @param cut ends a request that is too slow, and its connection. */
export function createBodyPace(limits: PaceLimits, cut: (incoming: IncomingMessage) => void): BodyPace {
  /** The last request of each connection: the body of one before it has ended. */
  const watched = new Map<Duplex, Watched>();

  function isTooSlow(each: Watched, now: number): boolean {
    const { incoming } = each;
    const bytes = incoming.socket.bytesRead;
    if (each.since === undefined) {
      each.since = now;
      each.bytes = bytes;
      return false;
    }
    const waited = now - each.since;
    if (!each.isUpload) return waited >= limits.bodyTimeout;
    if (waited < limits.uploadStretch) return false;
    // What lies unread is our slowness and not the client's.
    const isWaitingForUs = incoming.readableLength >= incoming.readableHighWaterMark;
    const isSlow = bytes - each.bytes < limits.uploadBytes && !isWaitingForUs;
    each.since = now;
    each.bytes = bytes;
    return isSlow;
  }

  return {
    begin(incoming) {
      watched.set(incoming.socket, { incoming, since: undefined, bytes: 0, isUpload: false });
    },
    letUploadIn(incoming) {
      const each = watched.get(incoming.socket);
      if (each?.incoming !== incoming) return;
      each.isUpload = true;
      each.since = undefined;
    },
    check() {
      const now = performance.now();
      for (const [socket, each] of watched) {
        if (each.incoming.complete || each.incoming.destroyed) watched.delete(socket);
        else if (isTooSlow(each, now)) {
          watched.delete(socket);
          cut(each.incoming);
        }
      }
    },
  };
}
