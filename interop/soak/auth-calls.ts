/** Logins of instances and principals, what their tokens do, and what an operator does beside them. */
import { randomBytes } from 'node:crypto';
import { IMAGE_ID, LOGIN_PATH } from '@postern/internal';
import type { Answer } from './client.js';
import { type Kind, operator, type SoakContext, textAt } from './kind.js';
import { INSTANCE_SECONDS, TOKEN_SECONDS } from './soak-site.js';

/** A token, or an instance, is used for as long as it surely lives: a call may wait on a busy machine. */
const USED_MS = (TOKEN_SECONDS * 1000) / 2;
const DEPLOYERS = 10;
const MOUNT = '/v1/auth/cloud';

interface Machine {
  readonly instanceId: string;
  readonly pkcs7: string;
  readonly nonce: string;
  readonly bornAt: number;
}

interface Token {
  readonly text: string;
  readonly bornAt: number;
}

export async function authKinds(context: SoakContext): Promise<readonly Kind[]> {
  const { world, client, draw, peer } = context;
  const { cloud } = world.site;
  const asOperator = operator(context);
  const machines: Machine[] = [];
  const tokens: Token[] = [];

  const roles = Array.from({ length: DEPLOYERS }, (_, at) => cloud.createRole({ name: `deployer-${at}` }));
  const writeClient = (retries: number) =>
    asOperator({
      path: `${MOUNT}/config/client`,
      body: JSON.stringify({ sts_endpoint: world.stsUrl, max_retries: retries }),
    });
  const writeRole = (name: string, fields: object) =>
    asOperator({ path: `${MOUNT}/role/${name}`, body: JSON.stringify(fields) });
  const web = { auth_type: 'ec2', bound_ami_id: [IMAGE_ID], token_policies: ['web'] };
  const principals = { bound_iam_principal_arn: roles.map(({ arn }) => arn), resolve_cloud_unique_ids: false };
  const written = await Promise.all([
    writeClient(1),
    writeRole('web', web),
    writeRole('batch', { auth_type: 'ec2', bound_ami_id: [IMAGE_ID], token_type: 'batch' }),
    writeRole('tagged', { ...web, role_tag: 'soak' }),
    writeRole('deploy', { auth_type: 'iam', ...principals }),
  ]);
  for (const { status, text } of written) if (status !== 204) throw new Error(`not prepared: ${status} ${text}`);

  const isUsed = ({ bornAt }: { readonly bornAt: number }) => Date.now() - bornAt < USED_MS;
  const logIn = (fields: object) => client.send({ path: LOGIN_PATH, peer: peer(), body: JSON.stringify(fields) });
  /** Keeps the token, to be used and revoked. */
  async function login(fields: object): Promise<Answer> {
    const answer = await logIn(fields);
    const text = textAt(answer, 'auth', 'client_token');
    if (text !== undefined) tokens.push({ text, bornAt: Date.now() });
    return answer;
  }
  function launch(): Machine {
    const ends = Math.floor(Date.now() / 1000) + INSTANCE_SECONDS;
    const instanceId = `i-${ends.toString(16)}${randomBytes(5).toString('hex').slice(0, 9)}`;
    const instance = cloud.launchInstance({ instanceId, imageId: IMAGE_ID });
    const pkcs7 = instance.identityDocument().rsa2048.replaceAll('\n', '');
    return { instanceId, pkcs7, nonce: `nonce-of-${instanceId}`, bornAt: Date.now() };
  }
  function anyMachine(): Machine | undefined {
    while (machines[0] !== undefined && !isUsed(machines[0])) machines.shift();
    return machines[draw(machines.length)];
  }
  /** A token of its own for the call, given back after it. */
  async function withToken(call: (token: string) => Promise<Answer>): Promise<Answer> {
    // Those that are too old to be used stay for their revocation, in front.
    const [token] = tokens.splice(tokens.length - 1 - draw(Math.max(1, tokens.length >> 1)), 1);
    if (token === undefined) throw new Error('no token');
    const answer = await call(token.text);
    if (isUsed(token)) tokens.push(token);
    else tokens.unshift(token);
    return answer;
  }
  const own = (token: string, path: string, body?: object) =>
    client.send({
      path: `/v1/auth/token/${path}`,
      peer: peer(),
      headers: { 'x-service-token': token },
      body: body && JSON.stringify(body),
    });
  const kind = (name: string, weight: number, expected: number, run: Kind['run']): Kind => {
    return { name, weight, expected: [expected], run };
  };
  const ofOperator = (name: string, weight: number, expected: readonly number[], path: string, body?: object): Kind => {
    return { name, weight, expected, run: () => asOperator({ path, body: body && JSON.stringify(body) }) };
  };
  const now = { safety_buffer: '0s' };
  const hasUsed = () => tokens.filter(isUsed).length > 4;
  return [
    kind('ec2 login', 14, 200, async () => {
      const machine = launch();
      const { pkcs7, nonce } = machine;
      const answer = await login({ role: 'web', pkcs7, nonce });
      if (answer.status === 200) machines.push(machine);
      return answer;
    }),
    kind('ec2 re-login', 10, 200, () => {
      const machine = anyMachine();
      return machine && login({ role: 'web', pkcs7: machine.pkcs7, nonce: machine.nonce });
    }),
    kind('ec2 batch login', 2, 200, () => {
      const machine = anyMachine();
      return machine && logIn({ role: 'batch', pkcs7: machine.pkcs7, nonce: machine.nonce });
    }),
    kind('iam login', 10, 200, () => {
      const role = roles[draw(DEPLOYERS)];
      const credentials = role && cloud.sts.assumeRole(role, { sessionName: `build-${draw(1000)}` });
      return credentials && login({ role: 'deploy', ...cloud.sts.signLogin({ credentials }) });
    }),
    kind('token lookup', 8, 200, () => (hasUsed() ? withToken((token) => own(token, 'lookup-self')) : undefined)),
    kind('token renewal', 8, 200, () => (hasUsed() ? withToken((token) => own(token, 'renew-self', {})) : undefined)),
    // Oldest first, and as many as there are logins: what is not revoked stays until an hour after its end (TIDY-9).
    kind('token revocation', 40, 204, () => {
      const token = tokens.length > 50 ? tokens.shift() : undefined;
      return token && own(token.text, 'revoke-self', {});
    }),
    kind('operator: child token', 1, 200, async () => {
      const answer = await asOperator({ path: '/v1/auth/token/create', body: '{"policies":["web"],"ttl":"30s"}' });
      const text = textAt(answer, 'auth', 'client_token');
      if (text !== undefined) tokens.unshift({ text, bornAt: 0 });
      return answer;
    }),
    kind('operator: read entry', 2, 200, () => {
      const machine = anyMachine();
      return machine && asOperator({ path: `${MOUNT}/identity-accesslist/${machine.instanceId}` });
    }),
    kind('operator: deny a tag', 1, 204, async () => {
      const tag = await asOperator({ path: `${MOUNT}/role/tagged/tag`, body: '{"max_ttl":"30s"}' });
      const name = Buffer.from(textAt(tag, 'data', 'tag_value') ?? '').toString('base64url');
      return asOperator({ path: `${MOUNT}/roletag-denylist/${name}`, body: '{}' });
    }),
    kind('operator: configure client', 0.5, 204, () => writeClient(1 + draw(3))),
    kind('operator: write role', 0.5, 204, () => writeRole('web', web)),
    ofOperator('operator: list tokens', 0.5, [200], '/v1/auth/token/accessors?list=true&limit=100'),
    ofOperator('operator: list entries', 0.5, [200, 404], `${MOUNT}/identity-accesslist?list=true&limit=100`),
    ofOperator('operator: tidy entries', 0.5, [202, 200], `${MOUNT}/tidy/identity-accesslist`, now),
    ofOperator('operator: tidy tags', 0.5, [202, 200], `${MOUNT}/tidy/roletag-denylist`, now),
    ofOperator('operator: rewrap', 0.1, [200], `${MOUNT}/data-keys/rewrap`, {}),
    ofOperator('health', 1, [200], '/v1/sys/health?ready=true'),
  ];
}
