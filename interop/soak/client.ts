/** Callers of many addresses over a few kept connections: this process is the proxy that the server trusts. */
import { Agent, request } from 'node:http';

const CONNECTIONS = 32;
/** A server that answers later has failed. */
const TIMEOUT_MS = 30_000;

export interface Answer {
  /** 0 where the connection was cut or no answer came. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  /** The address that the call comes from. */
  readonly peer: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface SoakClient {
  send(call: Call): Promise<Answer>;
  close(): void;
}

export function createSoakClient(url: string): SoakClient {
  const { port, hostname: host } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  return {
    send({ method, path, peer, headers, body }) {
      return new Promise((resolve) => {
        const cut = () => resolve({ status: 0, headers: {}, text: '' });
        const sent = request(
          {
            ...{ agent, host, port, path, timeout: TIMEOUT_MS },
            method: method ?? (body === undefined ? 'GET' : 'POST'),
            headers: { 'x-forwarded-for': peer, ...headers },
          },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', cut);
            response.on('end', () => {
              const text = Buffer.concat(chunks).toString();
              resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
            });
          },
        );
        sent.on('timeout', () => sent.destroy()).on('error', cut);
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}
