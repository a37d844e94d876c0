/**
 * Connection pools of undici, loaded at first use. Certificates are verified, and against the name of the endpoint: undici
 * takes the `host` header for it, which at the caller-identity call is what a client signed, not where we connect to.
 */
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { TransportError } from './transport-error.js';

export interface PoolOptions {
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxPools: number;
  readonly tlsCertificates: string | undefined;
}

export interface Pools {
  /** Loads undici: 140 ms of CPU, once. */
  load(): Promise<void>;
  /**
   * Sends over a connection to the origin that carries requests with this `host` header.
   *
   * @throws TransportError `closed` after `close()`; what undici throws.
   */
  request(origin: URL, host: string, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  /** Connections under way are cut. Idempotent. */
  close(): Promise<void>;
}

export function createPools(options: PoolOptions): Pools {
  const leaving = new Set<Promise<void>>();
  // A pool that has to make room answers what is under way first.
  const retire = (pool: Pool): void => {
    const left = pool.close().catch(() => undefined);
    leaving.add(left);
    void left.then(() => leaving.delete(left));
  };
  const pools = new LRUCache<string, Pool>({ max: options.maxPools, dispose: retire });
  const all = new Set<WeakRef<Pool>>();
  let isClosed = false;
  let undici: typeof import('undici') | undefined;
  function poolFor(undici: typeof import('undici'), origin: URL, host: string): Pool {
    // Beside the endpoint the host is part of the key: undici drops a connection whose next request names another one.
    const key = `${origin.origin} ${host}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const pool = new undici.Pool(origin.origin, {
      connections: options.maxConnections,
      connect: connectorFor(undici.buildConnector, origin, options),
      // Each request carries its own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
    pools.set(key, pool);
    for (const each of all) if (each.deref() === undefined) all.delete(each);
    all.add(new WeakRef(pool));
    return pool;
  }

  return {
    async load() {
      undici ??= await import('undici');
    },
    async request(origin, host, request) {
      // Kept: to import it again costs as much as a tenth of a request.
      undici ??= await import('undici');
      if (isClosed) throw new TransportError('closed', 'the provider is closed');
      // In one go: a pool that is given out now and used later may have had to make room by then.
      return poolFor(undici, origin, host).request(request);
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map(async (each) => each.deref()?.destroy()));
      pools.clear();
      await Promise.all(leaving);
    },
  };
}

function connectorFor(build: typeof buildConnector, origin: URL, options: PoolOptions): buildConnector.connector {
  const connect = build({
    timeout: options.connectTimeoutMs,
    rejectUnauthorized: true,
    ...(options.tlsCertificates === undefined ? {} : { ca: options.tlsCertificates }),
  });
  const name = origin.hostname.replace(/^\[|\]$/g, '');
  // An address is no server name (RFC 6066), and is verified as an address.
  const servername = isIP(name) === 0 ? name : '';
  return (to, callback) => connect({ ...to, servername }, callback);
}
