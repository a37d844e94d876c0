/** A small HTTP service where a client program does what is not Postern's to offer: tag or terminate an instance, let time pass. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Desk {
  readonly setTags: (instanceId: string, tags: Readonly<Record<string, string>>) => void;
  readonly terminate: (instanceId: string) => void;
  readonly letPass: (seconds: number) => void;
}

interface Order {
  readonly instance_id?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly terminate?: boolean;
  readonly pass_seconds?: number;
}

/** Takes `{ instance_id, tags }`, `{ instance_id, terminate }` or `{ pass_seconds }` by POST; 204 once it is done, 400 where it cannot be. */
export async function openOperatorDesk(desk: Desk): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void json(request)
      .then((body) => {
        // Sent by the programs beside this file; what they leave out is checked.
        const { instance_id, tags, terminate, pass_seconds } = body as Order;
        if (instance_id !== undefined && tags !== undefined) desk.setTags(instance_id, tags);
        else if (instance_id !== undefined && terminate === true) desk.terminate(instance_id);
        else if (pass_seconds !== undefined) desk.letPass(pass_seconds);
        else throw new TypeError('an order names an instance and its tags or its end, or seconds');
        response.writeHead(204).end();
      })
      .catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
