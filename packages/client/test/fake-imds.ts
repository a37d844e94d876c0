/** An instance metadata service, version 2, on the loopback address: it answers nobody who shows no token of its own. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeInstance } from '@postern/testkit';

export interface FakeImds {
  readonly url: string;
  /** Path to text; what is not here is 404. */
  readonly files: Map<string, string>;
  /** `PUT /latest/api/token`, in order. */
  readonly calls: string[];
  /** Answered in place of the next answers, first to last. `hang`: none at all. `cut`: half a line, then the end. */
  readonly instead: (number | 'hang' | 'cut')[];
  /** As with IMDSv2 switched off, or version 1 only. */
  tokenStatus: number;
  close(): Promise<void>;
}

export const IDENTITY = '/latest/dynamic/instance-identity/';

/** @param instance whose documents it has; none: they are missing. */
export async function startFakeImds(instance?: FakeInstance): Promise<FakeImds> {
  const files = new Map<string, string>();
  if (instance !== undefined) {
    const { document, rsa2048, signature } = instance.identityDocument();
    for (const [name, text] of Object.entries({ document, rsa2048, signature })) files.set(IDENTITY + name, text);
  }
  const calls: string[] = [];
  const instead: (number | 'hang' | 'cut')[] = [];
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
