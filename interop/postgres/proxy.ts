/** A network between a client and the database, with a hand on it. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * `open`: everything passes. `cut_answers`: the next answer is swallowed and the connection cut. `cut_questions`: the next
 * question is. `silent`: answers are held back for ever.
 */
export type Traffic = 'open' | 'cut_answers' | 'cut_questions' | 'silent';

export interface NetworkProxy {
  readonly port: number;
  set(traffic: Traffic): void;
  close(): Promise<void>;
}

export async function createProxy(target: number): Promise<NetworkProxy> {
  let traffic: Traffic = 'open';
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect(target, '127.0.0.1');
    const cut = () => {
      inside.destroy();
      outside.destroy();
    };
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', cut);
    }
    inside.on('data', (bytes) => {
      if (traffic === 'cut_questions') cut();
      else outside.write(bytes);
    });
    outside.on('data', (bytes) => {
      if (traffic === 'cut_answers') cut();
      else if (traffic !== 'silent') inside.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    set: (next) => {
      traffic = next;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
