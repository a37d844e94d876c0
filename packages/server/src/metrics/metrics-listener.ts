/** Where Prometheus asks: an address of its own, because figures are shown without a token and the interface never is. */
import { createServer } from 'node:http';
import { listenOn, urlAt } from '../network/listener.js';
import type { Metrics } from './metrics.js';

export interface MetricsListener {
  /** `http://127.0.0.1:9464/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

/** Milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 30_000, maxHeaderSize: 16 * 1024 };

/** @throws the error of `listen`: `EADDRINUSE`, `EACCES` … */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  at: { readonly host: string; readonly port: number },
): Promise<MetricsListener> {
  const server = createServer(LIMITS, (request, response) => {
    const say = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        ...headers,
      });
      response.end(text);
    };
    if (request.url?.split('?')[0] !== '/metrics') return say(404, 'The figures are at /metrics.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') return say(405, 'GET them.\n', { allow: 'GET, HEAD' });
    metrics.text().then(
      (text) => say(200, text, { 'content-type': metrics.contentType }),
      () => say(500, 'The figures could not be collected.\n'),
    );
  });
  const port = await listenOn(server, at);
  return {
    url: `${urlAt(at.host, port)}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
