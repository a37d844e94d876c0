/**
 * The least that either could cost: node:http that answers the same bytes to a read, and to a write parses its JSON and
 * commits one SQLite row, in groups and on the disk before the answer.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveReports } from '../logins/child-report.js';
import { openGroupCommit } from '../logins/group-commit.js';

export interface CeilingInput {
  readonly folder: string;
  /** Holds what a read is answered with: longer than an argument may be. */
  readonly listFile: string;
  /** What a write is answered with. */
  readonly written: string;
}

export async function runCeiling({ folder, listFile, written }: CeilingInput): Promise<void> {
  const rows = await openGroupCommit(folder);
  const listBytes = readFileSync(listFile);
  let writes = 0;
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': listBytes.length })
        .end(listBytes);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      JSON.parse(Buffer.concat(chunks).toString());
      writes += 1;
      await rows.commit(`write-${writes}`);
      const headers = { 'content-type': 'application/vnd.api+json', 'content-length': Buffer.byteLength(written) };
      response.writeHead(200, headers).end(written);
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
