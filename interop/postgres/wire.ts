/** The way to the database, listened to: what a client asks there, one text for each round trip, and a delay where a test wants one. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Messages of a client (PostgreSQL, Message Formats). */
const PARSE = 'P';
const BIND = 'B';
const SYNC = 'S';
const QUERY = 'Q';

export interface Wire {
  readonly port: number;
  /** Statements asked since the last `clear()`, each with a round trip of its own. */
  asked(): readonly string[];
  clear(): void;
  close(): Promise<void>;
}

/** @param delayMs added to each way. */
export async function createWire(target: number, delayMs = 0): Promise<Wire> {
  let asked: string[] = [];
  const sockets = new Set<Socket>();
  const later = (work: () => void) => {
    if (delayMs === 0) work();
    else setTimeout(work, delayMs);
  };
  const server = createServer((inside) => {
    const outside = connect(target, '127.0.0.1');
    const read = createReader((statement) => asked.push(statement));
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    inside.on('data', (bytes) => {
      read(bytes);
      later(() => outside.write(bytes));
    });
    outside.on('data', (bytes) => later(() => inside.write(bytes)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    asked: () => asked,
    clear: () => {
      asked = [];
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Reads what one connection sends, in whatever pieces. */
function createReader(onAsked: (statement: string) => void): (bytes: Buffer) => void {
  const prepared = new Map<string, string>();
  let rest: Buffer = Buffer.alloc(0);
  let isOpened = false;
  let bound = '';
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      // The first message has no type.
      const head = isOpened ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return;
      const type = isOpened ? String.fromCharCode(rest[0] ?? 0) : '';
      const [first = '', second = ''] = rest.toString('utf8', head + 4, end).split('\0', 2);
      rest = rest.subarray(end);
      isOpened = true;
      if (type === PARSE) prepared.set(first, second);
      else if (type === BIND) bound = prepared.get(second) ?? '';
      else if (type === QUERY) onAsked(first);
      else if (type === SYNC) onAsked(bound);
    }
  };
}
