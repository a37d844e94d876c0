/** Load: connections that each send one request after another, with as little work as can be by the load generator. */
import { connect } from 'node:net';

export interface LoadReport {
  readonly answered: number;
  /** Answers other than 200. */
  readonly refused: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends every body once, over so many connections kept open. */
export async function sendAll(
  port: number,
  path: string,
  bodies: readonly string[],
  connections: number,
): Promise<LoadReport> {
  const latencies: number[] = [];
  let next = 0;
  let refused = 0;
  const started = performance.now();
  const worker = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let received = '';
      let sentAt = 0;
      const send = () => {
        const body = bodies[next];
        if (body === undefined) {
          socket.end();
          resolve();
          return;
        }
        next += 1;
        sentAt = performance.now();
        socket.write(`POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      };
      socket.setNoDelay(true);
      socket.setEncoding('latin1');
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (text) => {
        received += text;
        if (!isWholeAnswer(received)) return;
        latencies.push(performance.now() - sentAt);
        if (!received.startsWith('HTTP/1.1 200')) refused += 1;
        received = '';
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, worker));
  const sorted = latencies.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return {
    answered: latencies.length,
    refused,
    elapsedMs: performance.now() - started,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

export function isWholeAnswer(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: (\d+)\r$/im.exec(received.slice(0, end + 2))?.[1];
  // Without a length Node sends chunks; those of a bare refusal are none but the last.
  return length === undefined ? received.endsWith('\r\n0\r\n\r\n') : received.length >= end + 4 + Number(length);
}
