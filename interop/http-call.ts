/** One HTTP call over the kept connections of its agent, and no more than one: what was cut is not sent again. */
import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export interface HttpCall {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array | undefined;
  /** How long its connection may be silent before it is given up. Default: for ever. */
  readonly timeoutMs?: number;
}

export interface HttpAnswer {
  /** 0 where the connection was refused, cut or given up. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Whether no server was there: nothing was sent. */
  readonly isRefused: boolean;
}

export function httpCall(agent: Agent, url: string, call: HttpCall): Promise<HttpAnswer> {
  const { method, headers, body, timeoutMs = 0 } = call;
  return new Promise((resolve) => {
    const cut = (error: Error) => {
      const isRefused = 'code' in error && error.code === 'ECONNREFUSED';
      resolve({ status: 0, headers: {}, text: '', isRefused });
    };
    const sent = request(url, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', cut);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, isRefused: false });
      });
    });
    sent.setTimeout(timeoutMs, () => sent.destroy()).on('error', cut);
    sent.end(body);
  });
}
