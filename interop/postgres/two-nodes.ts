/** Two `postern serve` on one database: one folder with two configurations, a cloud that both believe, and calls to either. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSite, IMAGE_ID, LOGIN_PATH, type ServingPostern, type Site, servePostern } from '@postern/internal';

export const ROLE = 'web';

export interface Answer {
  readonly status: number;
  readonly auth: { readonly client_token: string } | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Node {
  readonly server: ServingPostern;
  readonly configFile: string;
}

export interface TwoNodes {
  readonly site: Site;
  readonly rootToken: string;
  /** Root tokens that both starts printed together. */
  readonly rootTokens: readonly string[];
  readonly a: Node;
  readonly b: Node;
  end(): Promise<void>;
}

/** @param storage the member of the configuration. */
export async function startTwoNodes(storage: object): Promise<TwoNodes> {
  const site = createSite({
    storage,
    registry: { archives: './archives', rate: false },
  });
  const other = join(site.folder, 'other.json');
  const config = { ...JSON.parse(readFileSync(site.configFile, 'utf8')), audit: { file: './other-audit.log' } };
  writeFileSync(other, JSON.stringify(config));
  const start = async (configFile: string) => ({ configFile, server: await servePostern(configFile) });
  const [a, b] = await Promise.all([start(site.configFile), start(other)]);
  const rootTokens = [a, b].flatMap(({ server }) => server.rootToken ?? []);
  return {
    site,
    rootToken: rootTokens[0] ?? '',
    rootTokens,
    a,
    b,
    async end() {
      for (const { server } of [a, b]) {
        server.signal('SIGKILL');
        await server.ended;
      }
      site.remove();
    },
  };
}

/** Asks a node below `/v1/`. */
export async function ask({ server }: Node, token: string, path: string, fields?: object): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/${path}`, {
    ...(fields === undefined ? {} : { method: 'POST', body: JSON.stringify(fields) }),
    headers: { 'x-service-token': token },
  });
  return answerOf(response);
}

export async function remove({ server }: Node, token: string, path: string): Promise<number> {
  const response = await fetch(`${server.url}/v1/${path}`, { method: 'DELETE', headers: { 'x-service-token': token } });
  await response.text();
  return response.status;
}

/** @returns status 0 when the node went away before it answered. */
export async function login({ server }: Node, pkcs7: string): Promise<Answer & { readonly token: string }> {
  try {
    const body = JSON.stringify({ role: ROLE, pkcs7 });
    const answer = await answerOf(await fetch(server.url + LOGIN_PATH, { method: 'POST', body }));
    return { ...answer, token: answer.auth?.client_token ?? '' };
  } catch {
    return { status: 0, auth: undefined, data: {}, token: '' };
  }
}

export async function writeRole(node: Node, token: string, imageId: string = IMAGE_ID): Promise<number> {
  const role = { auth_type: 'ec2', bound_ami_id: [imageId] };
  return (await ask(node, token, `auth/cloud/role/${ROLE}`, role)).status;
}

export const lookUp = async (node: Node, token: string) => (await ask(node, token, 'auth/token/lookup-self')).status;

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const { auth, data = {} } = text === '' ? {} : JSON.parse(text);
  return { status: response.status, auth, data };
}
