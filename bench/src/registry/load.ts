/** Load of whole requests as text: connections that each send one after another, with as little work as can be by the load generator. */
import { connect } from 'node:net';

export interface Load {
  readonly answered: number;
  /** Answers other than 200. */
  readonly refused: number;
}

/** @param requests each sent once, whole: head and body. */
export async function sendRequests(port: number, requests: readonly string[], connections: number): Promise<Load> {
  let next = 0;
  let answered = 0;
  let refused = 0;
  const worker = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let wanted = -1;
      let received = 0;
      const send = () => {
        const request = requests[next];
        if (request === undefined) {
          socket.end();
          resolve();
          return;
        }
        next += 1;
        wanted = -1;
        received = 0;
        socket.write(request);
      };
      socket.setNoDelay(true);
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (wanted < 0) {
          wanted = wholeLength(chunk);
          if (!chunk.subarray(0, 12).equals(OK)) refused += 1;
        }
        if (received < wanted) return;
        answered += 1;
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, worker));
  return { answered, refused };
}

const OK = Buffer.from('HTTP/1.1 200');
const HEAD_END = Buffer.from('\r\n\r\n');

/** Both servers send the head of an answer in one piece. @throws Error where one does not. */
function wholeLength(chunk: Buffer): number {
  const end = chunk.indexOf(HEAD_END);
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(chunk.toString('latin1', 0, end + 2))?.[1];
  if (end < 0 || length === undefined) throw new Error('an answer has no length');
  return end + HEAD_END.length + Number(length);
}

/** A request as a client sends it. */
export function requestText(method: string, path: string, token: string, body = ''): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: registry.bench\r\nauthorization: Bearer ${token}\r\n`;
  const length =
    body === '' ? '' : `content-type: application/vnd.api+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return `${head}${length}\r\n${body}`;
}
