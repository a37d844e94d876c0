/** Where this process connects to, from any library: every socket of Node says so before it is opened. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** From now on; `stop` tells the hosts that were looked up and the ports that were tried. */
export function watchConnections() {
  const lookedUp: string[] = [];
  const ports = new Set<number>();
  const onSocket = (message: unknown) => {
    // What Node publishes on this channel.
    const { socket } = message as { readonly socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => {
      if (address !== '127.0.0.1') lookedUp.push(address);
      ports.add(port);
    });
    socket.on('lookup', (_error, _address, _family, host: string) => {
      if (host !== '127.0.0.1') lookedUp.push(host);
    });
  };
  subscribe('net.client.socket', onSocket);
  return {
    stop() {
      unsubscribe('net.client.socket', onSocket);
      return { otherHosts: lookedUp, ports: [...ports] };
    },
  };
}
