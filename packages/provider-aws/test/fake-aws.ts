/**
 * As much of EC2, IAM and STS as the adapter asks: the query protocol over HTTP on loopback, with a log of every call and a
 * hook before each answer. Signatures are not checked here; the fake STS of testkit and moto do what this does not.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as it came in. */
export interface AwsCall {
  readonly service: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly action: string;
  readonly parameters: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface FakeAwsInstance {
  readonly accountId: string;
  readonly xml?: string;
  readonly state?: string;
}

export interface FakeAws {
  readonly url: string;
  readonly calls: AwsCall[];
  /** Calls of one action. */
  called(action: string): AwsCall[];
  /** Account that each access key belongs to; assumed roles add theirs. */
  readonly keys: Map<string, string>;
  readonly instances: Map<string, FakeAwsInstance>;
  /** `GetRole web` to the inner XML of the result, for one account: `111122223333 GetRole web`. */
  readonly iam: Map<string, string>;
  /** Takes over a call: return true after answering it, or text to answer with 200. */
  hook: (call: AwsCall, response: ServerResponse) => Promise<string | boolean> | string | boolean;
  close(): Promise<void>;
}

export function errorXml(code: string, message = 'no'): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`;
}

export function ec2ErrorXml(code: string, message = 'no'): string {
  return `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>r</RequestID></Response>`;
}

export function fail(
  response: ServerResponse,
  status: number,
  xml: string,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, { 'content-type': 'text/xml', ...headers }).end(xml);
  return true;
}

export async function startFakeAws(): Promise<FakeAws> {
  const sockets = new Set<{ destroy(): void }>();
  let assumed = 0;
  const server = createServer((request, response) => void serve(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  const fake: FakeAws = {
    url: '',
    calls: [],
    called: (action) => fake.calls.filter((call) => call.action === action),
    keys: new Map(),
    instances: new Map(),
    iam: new Map(),
    hook: () => false,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const parameters = new URLSearchParams(Buffer.concat(chunks).toString());
    const authorization = request.headers.authorization ?? '';
    const [, accessKeyId = '', region = '', service = ''] =
      /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)/.exec(authorization) ?? [];
    const action = parameters.get('Action') ?? '';
    const call = { service, region, accessKeyId, action, parameters, headers: request.headers };
    fake.calls.push(call);
    const taken = await fake.hook(call, response);
    if (taken === true) return;
    if (typeof taken === 'string') {
      response.writeHead(200, { 'content-type': 'text/xml' }).end(taken);
      return;
    }
    const account = fake.keys.get(accessKeyId);
    if (account === undefined && action !== 'AssumeRoleWithWebIdentity') {
      fail(response, 403, errorXml('InvalidClientTokenId'));
      return;
    }
    answer(call, account ?? '', response);
  }

  function answer(call: AwsCall, account: string, response: ServerResponse): void {
    const ok = (inner: string): void => {
      const xml = `<?xml version="1.0"?>\n<${call.action}Response>${inner}</${call.action}Response>\n`;
      response.writeHead(200, { 'content-type': 'text/xml' }).end(xml);
    };
    if (call.action === 'DescribeInstances') {
      const ids = [...call.parameters].filter(([name]) => name.startsWith('InstanceId.')).map(([, id]) => id);
      const of = (id: string) => (fake.instances.get(id)?.accountId === account ? fake.instances.get(id) : undefined);
      const missing = ids.filter((id) => of(id) === undefined);
      if (missing.length > 0) {
        const text = `The instance IDs '${missing.join(', ')}' do not exist`;
        fail(response, 400, ec2ErrorXml('InvalidInstanceID.NotFound', text));
        return;
      }
      const items = ids.map((id) => reservationXml(id, of(id), account));
      ok(`<requestId>r</requestId><reservationSet>${items.join('')}</reservationSet>`);
      return;
    }
    if (call.action === 'GetCallerIdentity') {
      ok(
        `<GetCallerIdentityResult><Arn>arn:aws:iam::${account}:user/postern</Arn><UserId>AIDA1</UserId><Account>${account}</Account></GetCallerIdentityResult>`,
      );
      return;
    }
    if (call.action.startsWith('AssumeRole')) {
      const [, of = '', name = ''] = /::(\d{12}):role\/(.+)$/.exec(call.parameters.get('RoleArn') ?? '') ?? [];
      assumed += 1;
      const key = `ASIA${String(assumed).padStart(16, '0')}`;
      fake.keys.set(key, of);
      const until = new Date(Date.now() + 900_000).toISOString();
      ok(
        `<${call.action}Result><Credentials><AccessKeyId>${key}</AccessKeyId><SecretAccessKey>assumed-secret-canary</SecretAccessKey><SessionToken>session-token-canary</SessionToken><Expiration>${until}</Expiration></Credentials><AssumedRoleUser><Arn>arn:aws:sts::${of}:assumed-role/${name}/${call.parameters.get('RoleSessionName')}</Arn><AssumedRoleId>AROA1:x</AssumedRoleId></AssumedRoleUser></${call.action}Result>`,
      );
      return;
    }
    const names = ['UserName', 'RoleName', 'InstanceProfileName'].map((name) => call.parameters.get(name));
    const name = names.find((each) => each !== null) ?? '';
    const inner = fake.iam.get(`${account} ${call.action} ${name}`);
    if (inner === undefined) fail(response, 404, errorXml('NoSuchEntity'));
    else ok(`<${call.action}Result>${inner}</${call.action}Result>`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(fake, { url: `http://127.0.0.1:${port}` });
}

function reservationXml(id: string, instance: FakeAwsInstance | undefined, account: string): string {
  const state = `<instanceState><code>16</code><name>${instance?.state ?? 'running'}</name></instanceState>`;
  const body = instance?.xml ?? '<placement><availabilityZone>us-east-1a</availabilityZone></placement>';
  const item = `<item><instanceId>${id}</instanceId><imageId>ami-1</imageId>${state}${body}</item>`;
  return `<item><reservationId>r-1</reservationId><ownerId>${account}</ownerId><instancesSet>${item}</instancesSet></item>`;
}
