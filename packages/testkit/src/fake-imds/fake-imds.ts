/**
 * An instance metadata service, version 2, on the loopback address: for programs that collect their evidence from it. It answers
 * nobody who shows no token of its own.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeInstance } from '../fake-cloud/instance-types.js';

export interface FakeImds {
  /** `http://127.0.0.1:<port>`; the AWS SDKs take it as `AWS_EC2_METADATA_SERVICE_ENDPOINT`. */
  readonly url: string;
  /** Path to text; what is not here is 404. */
  readonly files: Map<string, string>;
  /** Method and path of each request, in order. */
  readonly calls: string[];
  /** What takes the place of the next answers: a status without a body, no answer, or one that is cut. */
  readonly instead: (number | 'hang' | 'cut')[];
  /** What the question for a token is answered with: 403 as where the service is switched off, 404 as where version 2 is not. */
  tokenStatus: number;
  /** Ends all connections, hanging ones too. */
  close(): Promise<void>;
}

const DOCUMENTS = '/latest/dynamic/instance-identity/';

/** @param instance whose present documents it has; without one they are missing. */
export async function startFakeImds(instance?: FakeInstance): Promise<FakeImds> {
  const files = new Map<string, string>();
  if (instance !== undefined) {
    const { document, pkcs7, rsa2048, signature } = instance.identityDocument();
    for (const [name, text] of Object.entries({ document, pkcs7, rsa2048, signature }))
      files.set(DOCUMENTS + name, text);
  }
  const calls: string[] = [];
  const instead: FakeImds['instead'] = [];
  const tokens = new Set<string>();
  const server = createServer((request, answer) => {
    const { method = '', url = '', headers } = request;
    calls.push(`${method} ${url}`);
    const other = instead.shift();
    if (other === 'hang') return;
    if (other === 'cut') {
      answer.writeHead(200, { 'content-length': '100' });
      answer.write('half', () => answer.destroy());
      return;
    }
    const say = (status: number, text = '') => answer.writeHead(status, { location: 'http://192.0.2.1/' }).end(text);
    if (other !== undefined) return say(other);
    if (url === '/latest/api/token') {
      const seconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds']);
      if (method !== 'PUT') return say(405);
      if (imds.tokenStatus !== 200) return say(imds.tokenStatus);
      if (!(seconds >= 1 && seconds <= 21_600)) return say(400);
      const token = randomUUID();
      tokens.add(token);
      // The SDK for Go believes no token without it.
      answer.setHeader('x-aws-ec2-metadata-token-ttl-seconds', seconds);
      return say(200, token);
    }
    if (!tokens.has(String(headers['x-aws-ec2-metadata-token']))) return say(401);
    const text = files.get(url);
    return text === undefined ? say(404) : say(200, text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP listener has a port.
  const { port } = server.address() as AddressInfo;
  const imds: FakeImds = {
    url: `http://127.0.0.1:${port}`,
    files,
    calls,
    instead,
    tokenStatus: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return imds;
}
