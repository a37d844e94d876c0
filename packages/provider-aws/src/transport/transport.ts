/**
 * One request, one answer, within a time and a size. Follows no redirect, sends nothing twice, decodes nothing. Both the
 * SDK's calls and the caller-identity call travel here.
 */
import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { createPools, type PoolOptions } from './pools.js';
import { TransportError } from './transport-error.js';

export interface TransportRequest {
  /** Its origin is where to connect. */
  readonly origin: URL;
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  /** Names and values in turn; holds `host`. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array | undefined;
}

export interface TransportLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** A longer answer is cut after `maxBytes`, not an error. */
  readonly cut?: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface TransportAnswer {
  readonly status: number;
  /** Lower-case names; several headers of a name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Transport {
  /** Loads what the first exchange would load; who has a deadline waits for it before the deadline begins to run. */
  load(): Promise<void>;
  /** @throws TransportError always, and nothing else. */
  exchange(request: TransportRequest, limits: TransportLimits): Promise<TransportAnswer>;
  close(): Promise<void>;
}

export function createTransport(options: PoolOptions): Transport {
  const pools = createPools(options);
  return {
    load: () => pools.load(),
    async exchange(request, limits) {
      await pools.load();
      return withTimer(limits, async (signal) => {
        const { statusCode, headers, body } = await pools.request(request.origin, hostOf(request), {
          method: request.method,
          path: request.target,
          headers: [...request.headers],
          body: request.body ?? null,
          signal,
        });
        return { status: statusCode, headers: flatten(headers), body: await readBody(body, limits) };
      });
    },
    close: () => pools.close(),
  };
}

/** By events: to iterate over the stream costs as much again as the request. */
function readBody(body: Readable, { maxBytes, cut }: TransportLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const end = () => resolve(Buffer.concat(chunks, length));
    body.on('error', reject);
    body.on('end', end);
    body.on('close', () => {
      // Neither an end nor an error: there is nothing to wait for.
      if (!body.readableEnded) reject(new TransportError('connection', 'no end of the answer'));
    });
    body.on('data', (bytes: Uint8Array) => {
      const room = maxBytes - length;
      if (bytes.byteLength <= room) {
        chunks.push(bytes);
        length += bytes.byteLength;
        return;
      }
      chunks.push(bytes.subarray(0, room));
      length += room;
      if (cut === true) end();
      else reject(new TransportError('too_large', `more than ${maxBytes} bytes`));
      body.destroy();
    });
  });
}

/** Turns whatever happens into a TransportError that says nothing of the request. */
async function withTimer<T>(limits: TransportLimits, work: (signal: EventEmitter) => Promise<T>): Promise<T> {
  // Undici takes it as it takes an AbortSignal, which costs ten times as much to make.
  const emitter = new EventEmitter();
  let stopped: TransportError | undefined;
  const stop = (kind: 'timeout' | 'aborted') => () => {
    stopped ??= new TransportError(kind, kind === 'timeout' ? `${limits.timeoutMs} ms` : 'given up');
    emitter.emit('abort');
  };
  if (limits.signal?.aborted === true) throw new TransportError('aborted', 'given up');
  const onAbort = stop('aborted');
  const timer = setTimeout(stop('timeout'), limits.timeoutMs);
  limits.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(emitter);
  } catch (error) {
    if (stopped !== undefined) throw stopped;
    if (error instanceof TransportError) throw error;
    throw new TransportError('connection', codeOf(error));
  } finally {
    clearTimeout(timer);
    limits.signal?.removeEventListener('abort', onAbort);
  }
}

/** `ECONNREFUSED`, `UND_ERR_SOCKET`, `DEPTH_ZERO_SELF_SIGNED_CERT`: codes of Node and undici, never text of the other side. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'no connection';
}

function hostOf({ headers, origin }: TransportRequest): string {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  return (at === -1 ? undefined : headers[at + 1]) ?? origin.host;
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
