/**
 * The least that any durable login could cost: node:http, JSON, one RSA-2048 check with a cached key, one SQLite row,
 * committed in groups and on the disk before the answer.
 */
import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveReports } from './child-report.js';
import { openGroupCommit } from './group-commit.js';

export interface CeilingInput {
  readonly folder: string;
  /** PEM. */
  readonly publicKey: string;
}

export async function runCeiling({ folder, publicKey }: CeilingInput): Promise<void> {
  const rows = await openGroupCommit(folder);
  const key = createPublicKey(publicKey);

  let logins = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { data, signature } = JSON.parse(Buffer.concat(chunks).toString()) as { data: string; signature: string };
      if (!verify('sha256', Buffer.from(data, 'base64'), key, Buffer.from(signature, 'base64'))) {
        response.writeHead(400).end();
        return;
      }
      logins += 1;
      await rows.commit(`login-${logins}`);
      const body = JSON.stringify({ auth: { client_token: `token-${logins}` } });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on TCP has an address of this form.
    serveReports((server.address() as AddressInfo).port, async () => {
      server.closeAllConnections();
      rows.close();
    });
  });
}
