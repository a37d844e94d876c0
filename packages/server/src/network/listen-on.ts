/** Starting to listen on TCP, as a promise, and where that is. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @returns the port: the one asked for, or the one that 0 became. @throws the error of `listen`: `EADDRINUSE`, `EACCES` … */
export async function listenOn(server: Server, at: { readonly host: string; readonly port: number }): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A server that listens on TCP has an address of this form.
  return (server.address() as AddressInfo).port;
}

/** `http://127.0.0.1:8200`, `http://[::1]:8200` */
export function urlAt(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
