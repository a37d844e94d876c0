/**
 * Bodies of requests: how they are read, and how long they may take (THREAT-35). Every body has one deadline. An upload
 * that the application accepts has a minimum rate instead, so that a large archive over a slow line arrives and a client
 * that drips bytes is cut off. The application accepts an upload only once it knows the caller; Node's own limit bounds
 * every request.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { AuthError } from '@postern/core-auth';
import { bodyTooLarge } from '@postern/http/auth';

export interface PaceLimits {
  /** Until a body is complete. Milliseconds. */
  readonly bodyTimeout: number;
  /** An upload must bring `uploadBytes` in each of these. Milliseconds. */
  readonly uploadStretch: number;
  readonly uploadBytes: number;
}

export interface BodyPace {
  /** Starts the deadline of a body: its head has arrived. */
  begin(incoming: IncomingMessage): void;
  /** Replaces the deadline by the minimum rate. */
  acceptUpload(incoming: IncomingMessage): void;
  /** Ends the requests that are too slow. Deadlines are as exact as the interval of these calls. */
  check(): void;
}

interface Watched {
  readonly incoming: IncomingMessage;
  /** When the present stretch began; undefined until the first check. */
  since: number | undefined;
  /** Bytes that the connection had brought then. */
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
    // Unread bytes mean that the server is slow, not the client.
    const isBackpressured = incoming.readableLength >= incoming.readableHighWaterMark;
    const isSlow = bytes - each.bytes < limits.uploadBytes && !isBackpressured;
    each.since = now;
    each.bytes = bytes;
    return isSlow;
  }

  return {
    begin(incoming) {
      watched.set(incoming.socket, { incoming, since: undefined, bytes: 0, isUpload: false });
    },
    acceptUpload(incoming) {
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

/**
 * Reads a body straight from Node's stream: the same limit as `readBoundedBody`, at a third of its cost.
 *
 * @param onBytes counts what arrives; what it throws ends the reading.
 * @throws AuthError `body_too_large`; `body_invalid` when the client goes away before the end.
 */
export function readNodeBody(
  _request: Request,
  limitBytes: number,
  { incoming }: { readonly incoming: IncomingMessage },
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length']) > limitBytes) {
      reject(bodyTooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > limitBytes) throw bodyTooLarge();
        onBytes(chunk.length);
        keep(chunks, chunk);
      } catch (error) {
        leave();
        incoming.pause();
        reject(error);
      }
    };
    const onEnd = () => {
      leave();
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, length));
    };
    const onLost = () => {
      leave();
      reject(new AuthError('body_invalid', 'the request body could not be read'));
    };
    const leave = () => {
      incoming.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
    };
    incoming.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}

/** Joins neighbours of like size: a body that comes byte by byte is kept in a few pieces, not in 100 bytes for each. */
function keep(chunks: Buffer[], chunk: Buffer): void {
  let last = chunk;
  for (let before = chunks.at(-1); before !== undefined && before.length <= 2 * last.length; before = chunks.at(-1)) {
    chunks.pop();
    last = Buffer.concat([before, last]);
  }
  chunks.push(last);
}
