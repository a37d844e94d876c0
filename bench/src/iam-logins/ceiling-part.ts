/**
 * The least that any durable login of a principal could cost: node:http, JSON, one request to the provider over undici,
 * one look at its answer, one SQLite row, committed in groups and on the disk before the answer.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { serveReports } from '../logins/child-report.js';
import { openGroupCommit } from '../logins/group-commit.js';

export interface IamCeilingInput {
  readonly folder: string;
  readonly stsUrl: string;
}

interface LoginBody {
  readonly iam_request_body: string;
  readonly iam_request_headers: string;
}

export async function runIamCeiling({ folder, stsUrl }: IamCeilingInput): Promise<void> {
  const rows = await openGroupCommit(folder);
  const pool = new Pool(stsUrl, { connections: 64 });
  const ask = async (login: LoginBody) => {
    // What the load of this benchmark signed.
    const named = JSON.parse(Buffer.from(login.iam_request_headers, 'base64').toString()) as Record<string, string[]>;
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/',
      headers: Object.entries(named).flatMap(([name, values]) => values.flatMap((value) => [name, value])),
      body: Buffer.from(login.iam_request_body, 'base64'),
    });
    const arn = /<Arn>([^<]+)</.exec(await body.text())?.[1];
    return statusCode === 200 ? arn : undefined;
  };

  let logins = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const arn = await ask(JSON.parse(Buffer.concat(chunks).toString()) as LoginBody);
      if (arn === undefined) {
        response.writeHead(400).end();
        return;
      }
      logins += 1;
      await rows.commit(`login-${logins}`);
      const body = JSON.stringify({ auth: { client_token: `token-${logins}`, metadata: { arn } } });
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
