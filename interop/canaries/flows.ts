/** Every flow, told as calls: sound ones, refused ones, and ones that make no sense. Secrets are planted as they arise. */
import type { FakeInstance } from '@postern/testkit';
import { type CanaryWorld, OLD_KEY_ID } from './canary-world.js';

export interface FlowCall {
  readonly operation: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  /** Secrets that an answer of success is there to tell: beginnings of their names. */
  readonly tells?: readonly string[];
}

export interface FlowAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly auth?:
    | {
        readonly client_token: string;
        readonly accessor: string;
        readonly metadata: Readonly<Record<string, string>>;
      }
    | null
    | undefined;
}

/** @returns what was answered, nothing for a refusal. */
export type Send = (call: FlowCall) => Promise<FlowAnswer>;

const NONCE = 'canary nonce/of+the client 0001';
const OTHER_NONCE = 'canary nonce/of+another client 0002';
const IMAGE = 'ami-0123456789abcdef0';

/** @param round keeps the instances of one round apart from those of another. */
export async function runFlows(world: CanaryWorld, send: Send, round: string): Promise<void> {
  const secretKey = world.secret('key of the provider', 'canary-provider/key+0123456789/abcdef');
  world.secret('nonce of the client', NONCE);
  world.secret('nonce of another', OTHER_NONCE);
  const manage: Send = (call) => send({ ...call, token: world.root });
  await configure(manage, secretKey);
  const tag = await makeTag(world, manage);
  const tokens = await logInstances(world, send, round, tag);
  await logPrincipals(world, send, manage);
  await useTokens(world, send, manage, tokens);
  await lists(manage, tag, round);
  await manage({ operation: 'config.rotate-root' });
  await manage({ operation: 'config.client.read' });
  await manage({ operation: 'batch-keys.rotate' });
}

async function configure(manage: Send, secret_key: string): Promise<void> {
  const write = (fields: FlowCall['fields'] & object) => manage({ operation: 'config.client.write', fields });
  await write({ access_key: OLD_KEY_ID, secret_key });
  await write({ access_key: OLD_KEY_ID, secret_key, endpoint: 'no url' });
  await write({ secret_key: [secret_key] });
  await write({ secret_key, max_retries: secret_key });
  await write({ secret_key, [secret_key]: 'an unknown field' });
  const role = (name: string, fields: object) =>
    manage({
      operation: 'role.write',
      params: { role: name },
      fields: { bound_ami_id: IMAGE, auth_type: 'ec2', ...fields },
    });
  await role('plain', { token_policies: 'web' });
  await role('tagged', { role_tag: 'postern', token_policies: 'web' });
  await role('batch', { token_type: 'batch' });
  await role('elsewhere', { bound_ami_id: 'ami-0fedcba9876543210' });
  await role('app', { auth_type: 'iam', bound_ami_id: '', bound_iam_principal_arn: 'arn:aws:iam::111122223333:*' });
  await manage({ operation: 'role.read', params: { role: 'tagged' } });
}

async function makeTag(world: CanaryWorld, manage: Send): Promise<string> {
  const call = { operation: 'role.tag', params: { role: 'tagged' }, fields: { policies: 'web' }, tells: ['tag'] };
  const made = (await manage(call)).data?.['tag_value'];
  await manage({ ...call, fields: { policies: 'none of the role' } });
  // In trouble none is made: one that nobody signed takes its place.
  return world.secret(
    'tag',
    typeof made === 'string' ? made : `v1:AAECAwQFBgc=:r=tagged:d=false:m=false:${'k'.repeat(43)}=`,
  );
}

interface Tokens {
  readonly service: string;
  readonly batch: string;
  readonly accessor: string;
}

async function logInstances(world: CanaryWorld, send: Send, round: string, tag: string): Promise<Tokens> {
  const tells = ['token', 'nonce made'];
  let logins = 0;
  const login = async (fields: Readonly<Record<string, unknown>>) => {
    const { auth } = await send({ operation: 'login', fields, tells });
    logins += 1;
    if (auth?.client_token !== undefined) world.secret(`token ${round} ${logins}`, auth.client_token);
    if (auth?.metadata['nonce'] !== undefined) world.secret(`nonce made ${round} ${logins}`, auth.metadata['nonce']);
    return auth;
  };
  const launch = (name: string): FakeInstance => {
    const instance = world.cloud.launchInstance({ instanceId: `i-${round}-${name}`, imageId: IMAGE });
    const { rsa2048, signature } = instance.identityDocument();
    world.secret(`proof ${round} ${name}`, rsa2048.replaceAll('\n', ''));
    world.secret(`signature ${round} ${name}`, signature.replaceAll('\n', ''));
    return instance;
  };
  const known = launch('known');
  const pkcs7 = known.identityDocument().rsa2048;
  const first = await login({ role: 'plain', pkcs7, nonce: NONCE });
  await login({ role: 'plain', pkcs7, nonce: NONCE });
  await login({ role: 'plain', pkcs7, nonce: OTHER_NONCE });
  await login({ role: 'plain', pkcs7, nonce: OTHER_NONCE.repeat(9) });
  await login({ role: 'elsewhere', pkcs7, nonce: NONCE });
  await login({ role: 'nobody', pkcs7, nonce: NONCE });
  await login({ role: 'app', pkcs7, nonce: NONCE });
  await login({ role: NONCE, pkcs7, nonce: { text: NONCE } });
  await login({ role: 'plain', pkcs7: `${pkcs7.slice(0, -60)}AAAA`, nonce: NONCE });
  await login({ role: 'plain', pkcs7: `${pkcs7}*`, nonce: NONCE });
  await login({ role: 'plain', pkcs7: [pkcs7], nonce: NONCE });
  await login({ role: 'plain', pkcs7, [NONCE]: pkcs7 });
  const { documentBase64: identity, signature } = launch('signed').identityDocument();
  await login({ role: 'plain', identity, signature });
  await login({ role: 'plain', identity, signature: signature.replace(/^..../, 'AAAA') });
  await login({ role: 'plain', identity, signature, pkcs7 });
  const tagged = launch('tagged');
  await login({ role: 'tagged', pkcs7: tagged.identityDocument().rsa2048, nonce: NONCE });
  for (const text of [tag, `${tag}x`, tag.replace('d=false', 'd=true')]) {
    tagged.setTags({ postern: text });
    await login({ role: 'tagged', pkcs7: tagged.identityDocument().rsa2048, nonce: NONCE });
  }
  const batch = await login({ role: 'batch', pkcs7: launch('batch').identityDocument().rsa2048 });
  const question = { operation: 'role.explain', params: { role: 'elsewhere' }, token: world.root };
  await send({ ...question, fields: { pkcs7, nonce: OTHER_NONCE } });
  await send({ ...question, fields: { pkcs7: `${pkcs7}*`, nonce: OTHER_NONCE } });
  const none = world.secret('token of nobody', `pst_${'canary'.repeat(8).slice(0, 43)}`);
  return {
    service: first?.client_token ?? none,
    batch: batch?.client_token ?? none,
    accessor: first?.accessor ?? '0'.repeat(40),
  };
}

async function logPrincipals(world: CanaryWorld, send: Send, manage: Send): Promise<void> {
  const user =
    world.cloud.principal('arn:aws:iam::111122223333:user/canary') ?? world.cloud.createUser({ name: 'canary' });
  const credentials = world.sts.issueAccessKey(user);
  world.secret('key of the user', credentials.secretAccessKey);
  for (const method of ['POST', 'GET'] as const) {
    for (const headersForm of ['base64', 'object', 'json', 'list'] as const) {
      const fields = world.sts.signLogin({ credentials, method, headersForm });
      const request = `${JSON.stringify(fields)} ${decoded(fields.iam_request_url)} ${decodedHeaders(fields.iam_request_headers)}`;
      const signature = /Signature=([0-9a-f]{64})/.exec(request)?.[1];
      if (signature === undefined) throw new TypeError('a signed request has a signature');
      world.secret(`signature of ${method} ${headersForm}`, signature);
      const login = async (more: object, role = 'app') => {
        const { auth } = await send({ operation: 'login', fields: { role, ...fields, ...more }, tells: ['token'] });
        if (auth?.client_token !== undefined) world.secret(`token of ${method} ${headersForm}`, auth.client_token);
      };
      await login({});
      await login({}, 'plain');
      await login({ iam_request_url: `${fields.iam_request_url}AAAA` });
      await login({ iam_request_body: fields.iam_request_headers });
      await login({ iam_http_request_method: signature });
      await login({ iam_request_headers: `${String(fields.iam_request_headers)}${signature}` });
      await login({ iam_request_headers: { Authorization: signature, [signature]: signature } });
      await manage({ operation: 'role.explain', params: { role: 'app' }, fields: { ...fields } });
    }
  }
  world.sts.behaviour.throttle({ retryAfterSeconds: 1 });
  await send({ operation: 'login', fields: { role: 'app', ...world.sts.signLogin({ credentials }) } });
  world.sts.behaviour.restore();
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function decodedHeaders(headers: unknown): string {
  return typeof headers === 'string' ? `${headers} ${decoded(headers)}` : JSON.stringify(headers);
}

async function useTokens(world: CanaryWorld, send: Send, manage: Send, tokens: Tokens): Promise<void> {
  for (const token of [tokens.service, tokens.batch, `${tokens.service}x`]) {
    const tells = ['token'];
    await send({ operation: 'token.lookup-self', token, tells });
    await send({ operation: 'token.renew-self', token, tells });
    await send({ operation: 'role.read', params: { role: 'plain' }, token });
    await manage({ operation: 'token.lookup', fields: { token }, tells });
    await manage({ operation: 'token.lookup', fields: { token: [token], [token]: token } });
    await manage({ operation: 'token.renew', fields: { token, increment: token } });
    await manage({ operation: 'token.renew', fields: { token }, tells });
    await manage({ operation: 'token.lookup-accessor', fields: { accessor: token } });
  }
  await manage({ operation: 'token.lookup-accessor', fields: { accessor: tokens.accessor } });
  await manage({ operation: 'role.read', params: { role: world.root } });
  await send({ operation: 'token.revoke-self', token: tokens.service });
  await send({ operation: 'token.revoke-self', token: tokens.batch });
  await send({ operation: 'token.lookup-self', token: tokens.service });
}

async function lists(manage: Send, tag: string, round: string): Promise<void> {
  const entry = { instance_id: `i-${round}-known` };
  // An entry shows its nonce (ACCESS-2), and the deny list its tags (DENY-1).
  await manage({ operation: 'access-list.read', params: entry, tells: ['nonce'] });
  await manage({ operation: 'access-list.list' });
  await manage({ operation: 'deny-list.write', params: { role_tag: tag } });
  await manage({ operation: 'deny-list.write', params: { role_tag: `${tag}x` } });
  await manage({ operation: 'deny-list.read', params: { role_tag: tag } });
  await manage({ operation: 'deny-list.list', tells: ['tag'] });
  await manage({ operation: 'deny-list.delete', params: { role_tag: tag } });
  await manage({ operation: 'access-list.delete', params: entry });
}
