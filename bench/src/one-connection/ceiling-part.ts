/**
 * The least that a durable login of an instance costs with its look at the cloud: node:http, JSON, one RSA-2048 check with a cached
 * key, one unsigned DescribeInstances over undici and one look at its answer, one SQLite row, on the disk before the answer.
 */
import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import type { CeilingInput } from '../logins/ceiling-part.js';
import { serveReports } from '../logins/child-report.js';
import { openGroupCommit } from '../logins/group-commit.js';

export interface CeilingOnCloudInput extends CeilingInput {
  readonly cloudUrl: string;
}

export async function runCeilingOnCloud({ folder, publicKey, cloudUrl }: CeilingOnCloudInput): Promise<void> {
  const rows = await openGroupCommit(folder);
  const key = createPublicKey(publicKey);
  const pool = new Pool(cloudUrl);
  const isRunning = async (number: number) => {
    const id = `i-${number.toString(16).padStart(17, '0')}`;
    const { body } = await pool.request({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `Action=DescribeInstances&Version=2016-11-15&InstanceId.1=${id}`,
    });
    const xml = await body.text();
    return xml.includes(`<instanceId>${id}</instanceId>`) && xml.includes('<name>running</name>');
  };

  let logins = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { data, signature } = JSON.parse(Buffer.concat(chunks).toString()) as { data: string; signature: string };
      logins += 1;
      const number = logins;
      const isSigned = verify('sha256', Buffer.from(data, 'base64'), key, Buffer.from(signature, 'base64'));
      if (!isSigned || !(await isRunning(number))) {
        response.writeHead(400).end();
        return;
      }
      await rows.commit(`login-${number}`);
      const body = JSON.stringify({ auth: { client_token: `token-${number}` } });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on TCP has an address of this form.
    serveReports((server.address() as AddressInfo).port, async () => {
      server.closeAllConnections();
      await pool.destroy();
      rows.close();
    });
  });
}
