/** EC2, IAM and STS on one loopback port: the service is that of the request's signature, which is verified. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type KnownKey, verifySignedRequest, type WireRequest } from '@postern/testkit';
import { answerEc2 } from './ec2.js';
import { answerIam } from './iam.js';
import type { SimulatedCloud } from './simulated-cloud.js';
import { type CloudAnswer, ec2Error, queryError } from './xml.js';

export interface CloudListener {
  /** `http://127.0.0.1:<port>`: for `endpoint`, `iam_endpoint` and `sts_endpoint` alike. */
  readonly url: string;
  close(): Promise<void>;
}

interface AssumedKey extends KnownKey {
  readonly accountId: string;
}

export async function listenAsCloud(
  simulated: SimulatedCloud,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<CloudListener> {
  const assumed = new Map<string, AssumedKey>();
  const { cloud, serverKeys } = simulated;
  const keyOf = (id: string): AssumedKey | undefined => {
    const own = serverKeys.get(id);
    return own === undefined ? assumed.get(id) : { ...own, accountId: cloud.ownAccountId };
  };

  /** Those of an assumed role, from the answer that handed them out. */
  function remember(xml: string): void {
    const text = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1] ?? '';
    const accessKeyId = text('AccessKeyId');
    const accountId = /arn:aws:sts::(\d{12}):assumed-role/.exec(text('Arn'))?.[1] ?? '';
    const credentials = { secretAccessKey: text('SecretAccessKey'), sessionToken: text('SessionToken') };
    assumed.set(accessKeyId, { accessKeyId, ...credentials, accountId });
  }

  async function answer(
    request: WireRequest,
    endpoint: string,
  ): Promise<CloudAnswer & { readonly type?: string | undefined }> {
    const scope = /Credential=[^/]+\/\d+\/([^/]+)\/(ec2|iam)\//.exec(headerOf(request, 'authorization'));
    if (scope === null) {
      const sent = await simulated.callerIdentity.send({ endpoint, ...request, method: stsMethod(request) });
      const body = Buffer.from(sent.body).toString('utf8');
      if (sent.status === 200 && body.includes('<AssumeRoleResponse')) remember(body);
      return { status: sent.status, body, type: sent.contentType };
    }
    const [, region = '', service = ''] = scope;
    const now = { now: () => Date.now() };
    const type = 'text/xml';
    const verdict = verifySignedRequest(request, { clock: now, keyOf, service, acceptsRegion: () => true });
    if (!verdict.ok) {
      const error =
        service === 'ec2' ? ec2Error(401, 'AuthFailure') : queryError(403, 'InvalidClientTokenId', verdict.message);
      return { ...error, type };
    }
    const accountId = keyOf(verdict.accessKeyId)?.accountId ?? '';
    const parameters = new URLSearchParams(Buffer.from(request.body ?? []).toString('utf8'));
    const made =
      service === 'ec2'
        ? answerEc2(simulated, { accountId, region }, parameters)
        : await answerIam(simulated, accountId, parameters);
    return { ...made, type };
  }

  let url = '';
  const server = createServer((incoming, outgoing) => {
    readRequest(incoming)
      .then((request) => answer(request, url))
      .then(({ status, body, type }) =>
        outgoing.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body),
      )
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // A TCP listener has a port.
  url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function stsMethod({ method }: WireRequest): 'GET' | 'POST' {
  return method === 'GET' ? 'GET' : 'POST';
}

function headerOf({ headers }: WireRequest, name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Uint8Array[] = [];
  // Holds: without an encoding set, a message is read as Buffers.
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const { rawHeaders, method = '', url = '' } = incoming;
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return { method, target: url, headers, body: chunks.length === 0 ? undefined : Buffer.concat(chunks) };
}
