/**
 * Bounds connections in total and by peer (WIRE-25, THREAT-35). One too many stays open for a moment to be answered 503, whatever it
 * asks; its body is not read.
 */
import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { peerKey } from '@postern/kernel';

export interface ConnectionLimits {
  /** Default 5,000: an idle one costs about 10 KB. */
  readonly total?: number | undefined;
  /** By address of the socket (IPv6: one /64). Default 500. */
  readonly perPeer?: number | undefined;
  /** Proxies bring the connections of many peers: only the total holds for them. */
  readonly isProxy?: ((address: string) => boolean) | undefined;
}

const DEFAULT_TOTAL = 5000;
const DEFAULT_PER_PEER = 500;

/** For those who are told that there are too many; beyond them connections are dropped unanswered. */
const SPARE = 500;

export interface ConnectionGuard {
  /** Whether this connection is one too many. */
  isExcess(socket: object): boolean;
}

/** @param graceMs how long one too many may wait for its answer. */
export function guardConnections(server: Server, limits: ConnectionLimits, graceMs: number): ConnectionGuard {
  const { total = DEFAULT_TOTAL, perPeer = DEFAULT_PER_PEER, isProxy = () => false } = limits;
  server.maxConnections = total + SPARE;
  let open = 0;
  const byPeer = new Map<string, number>();
  const excess = new WeakSet<object>();

  server.on('connection', (socket) => {
    // A LIST request is parsed over a stream that stands for a connection which was counted.
    if (!(socket instanceof Socket)) return;
    const address = socket.remoteAddress ?? '';
    const peer = isProxy(address) ? undefined : peerKey(address);
    const ofPeer = peer === undefined ? 0 : (byPeer.get(peer) ?? 0);
    if (open >= total || ofPeer >= perPeer) {
      excess.add(socket);
      setTimeout(() => socket.destroy(), graceMs).unref();
      return;
    }
    open += 1;
    if (peer !== undefined) byPeer.set(peer, ofPeer + 1);
    socket.once('close', () => {
      open -= 1;
      if (peer === undefined) return;
      const left = (byPeer.get(peer) ?? 0) - 1;
      if (left > 0) byPeer.set(peer, left);
      else byPeer.delete(peer);
    });
  });
  return { isExcess: (socket) => excess.has(socket) };
}
