/** Requests as bytes, for what no HTTP client would send. */
import { connect } from 'node:net';

/** Sends pieces one after another, each on its own packet, and returns all that came until the other side closed. */
export function sendRaw(port: number, pieces: readonly (string | Buffer)[], pauseMs = 20): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      received += text;
    });
    socket.on('error', (error) => (received === '' ? reject(error) : undefined));
    socket.on('close', () => resolve(received));
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        await new Promise((done) => setTimeout(done, pauseMs));
      }
    });
  });
}

/** The status lines in a raw answer. */
export function statusesOf(raw: string): number[] {
  return [...raw.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
