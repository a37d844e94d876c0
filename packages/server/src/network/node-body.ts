/** Reads a body straight from Node's stream: the same bound as `readBoundedBody`, at a third of its cost. */
import type { IncomingMessage } from 'node:http';
import { AuthError } from '@postern/core-auth';
import { bodyTooLarge } from '@postern/http';

/** @throws AuthError `body_too_large`; `body_invalid` when the client goes away before the end. */
export function readNodeBody(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length']) > limitBytes) {
      reject(bodyTooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) {
        leave();
        incoming.pause();
        reject(bodyTooLarge());
      } else chunks.push(chunk);
    };
    const onEnd = () => {
      leave();
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, length));
    };
    const onLost = () => {
      leave();
      reject(new AuthError('body_invalid', 'the request body could not be read'));
    };
    const leave = () => {
      incoming.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
    };
    incoming.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}
