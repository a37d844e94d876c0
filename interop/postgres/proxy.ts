/** A network between a client and the database, with a hand on it. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * `open`: everything passes. `cut_answers`: the next answer is swallowed and the connection cut. `cut_questions`: the next
 * question is. `silent`: answers are held back for ever. `cut`: no connection stands. `stalled`: nothing passes, and all of it
 * arrives once the traffic is open, also what a client sent that has gone since. `torn`: now and then half of what is sent
 * passes, and the connection is cut.
 */
export type Traffic = 'open' | 'cut_answers' | 'cut_questions' | 'silent' | 'cut' | 'stalled' | 'torn';

/** While traffic is `torn`, of so many pieces one is. */
const TORN_EACH = 25;

export interface NetworkProxy {
  readonly port: number;
  set(traffic: Traffic): void;
  close(): Promise<void>;
}

export async function createProxy(target: number): Promise<NetworkProxy> {
  let traffic: Traffic = 'open';
  const sockets = new Set<Socket>();
  let pieces = 0;
  /** Of a link that stalls, in order. */
  let held: (() => void)[] = [];
  /** Now, or once the link does not stall any more. */
  const inTime = (work: () => void) => {
    if (traffic === 'stalled') held.push(work);
    else work();
  };
  const server = createServer((inside) => {
    if (traffic === 'cut') {
      inside.destroy();
      return;
    }
    const outside = connect(target, '127.0.0.1');
    const cut = () => {
      inside.destroy();
      outside.destroy();
    };
    const pass = (bytes: Buffer, to: Socket) => {
      pieces += 1;
      if (traffic !== 'torn' || pieces % TORN_EACH > 0) {
        to.write(bytes);
        return;
      }
      to.write(bytes.subarray(0, bytes.length >> 1), cut);
    };
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => inTime(cut));
      socket.on('close', () => {
        sockets.delete(socket);
        inTime(cut);
      });
    }
    inside.on('data', (bytes) => {
      if (traffic === 'cut_questions') cut();
      else inTime(() => pass(bytes, outside));
    });
    outside.on('data', (bytes) => {
      if (traffic === 'cut_answers') cut();
      else if (traffic !== 'silent') inTime(() => pass(bytes, inside));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    set: (next) => {
      traffic = next;
      if (next === 'cut') for (const socket of sockets) socket.destroy();
      if (next === 'stalled') return;
      const waiting = held;
      held = [];
      for (const work of waiting) work();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
