/** An STS that takes every signature and names one caller: as little as a provider can cost, in a process of its own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callerIdentityXml, type StsIdentity } from '@postern/testkit';
import { serveReports } from '../logins/child-report.js';

export function runSts(identity: StsIdentity): void {
  const body = callerIdentityXml(identity);
  const headers = { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(body) };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, headers).end(body));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on TCP has an address of this form.
    serveReports((server.address() as AddressInfo).port, async () => server.closeAllConnections());
  });
}
