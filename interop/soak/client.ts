/** Callers of many addresses over a few kept connections: this process is the proxy that the server trusts. */
import { Agent } from 'node:http';
import { type HttpAnswer, httpCall } from '../http-call.js';

const CONNECTIONS = 32;
/** A server that answers later has failed. */
const TIMEOUT_MS = 30_000;

export type Answer = Pick<HttpAnswer, 'status' | 'headers' | 'text'>;

export interface Call {
  readonly method?: string;
  readonly path: string;
  /** The address that the call comes from. */
  readonly peer: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface SoakClient {
  send(call: Call): Promise<Answer>;
  close(): void;
}

export function createSoakClient(url: string): SoakClient {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  return {
    send: ({ method, path, peer, headers, body }) =>
      httpCall(agent, url + path, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { 'x-forwarded-for': peer, ...headers },
        body,
        timeoutMs: TIMEOUT_MS,
      }),
    close: () => agent.destroy(),
  };
}
