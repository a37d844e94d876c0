/** What the bare servers are sent: signed bytes. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Side } from './in-turns.js';

/** As long as those of Postern, so that both parse as much. */
export function ceilingBodies(length: number): { take: Side['take']; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = Array.from({ length: 200 }, () => {
    const data = randomBytes(Math.max(100, Math.floor((length - 400) * 0.75)));
    return JSON.stringify({
      data: data.toString('base64'),
      signature: sign('sha256', data, privateKey).toString('base64'),
    });
  });
  const take = (count: number) => Array.from({ length: count }, (_, index) => signed[index % signed.length] ?? '');
  return { take, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}
