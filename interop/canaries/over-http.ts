/** Flows as HTTP requests to the server, and requests that no client of ours would send. Whatever comes back is looked at. */
import type { CanaryWorld } from './canary-world.js';
import type { FlowAnswer, Send } from './flows.js';
import type { Look } from './seen.js';

const METHODS = { write: 'POST', read: 'GET', list: 'LIST', delete: 'DELETE' } as const;

/** Head and body of every answer; of a success, what it is there to tell is no leak. */
export function sendOverHttp({ server }: CanaryWorld, look: Look): Send {
  const operations = new Map(server.method.operations.map((operation) => [operation.id, operation]));
  return async ({ operation, params = {}, fields = {}, token, tells }) => {
    const known = operations.get(operation);
    if (known === undefined) throw new TypeError(`no operation ${operation}`);
    const path = known.path.replace(/:(\w+)\*?/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const mount = known.scope === 'mount' ? server.method.mountPath : 'auth/token';
    const response = await fetch(`${server.url}/v1/${mount}/${path}`, {
      method: METHODS[known.verb],
      headers: token === undefined ? {} : { 'x-service-token': token },
      ...(known.verb === 'write' ? { body: JSON.stringify(fields) } : {}),
    });
    const text = await response.text();
    look(`${response.status} to ${operation}`, headOf(response) + text, response.ok ? tells : []);
    return response.ok && text !== '' ? (JSON.parse(text) as FlowAnswer) : {};
  };
}

export function headOf(response: Response): string {
  const lines: string[] = [];
  response.headers.forEach((value, name) => {
    lines.push(`${name}: ${value}\n`);
  });
  return lines.join('');
}

/** Bodies, paths and heads that make no sense, with the operator's token in each place where a token could be. */
export async function badRequests({ server, root }: CanaryWorld, look: Look): Promise<void> {
  const send = async (path: string, init: RequestInit) => {
    const response = await fetch(`${server.url}${path}`, init);
    look(`${response.status} to ${init.method ?? 'GET'} of a bad request`, headOf(response) + (await response.text()));
  };
  const headers = { 'x-service-token': root };
  const login = '/v1/auth/cloud/login';
  const bodies = [
    `{"nonce": "${root}", `,
    `{"nonce": "${root}", "nonce": "${root}"}`,
    `{"__proto__": {"${root}": 1}}`,
    `["${root}"]`,
    `"${root}"`,
    `${'['.repeat(40)}"${root}"${']'.repeat(40)}`,
    `{"pkcs7": "${root.repeat(3000)}"}`,
    `{"role": "${root}\u0000", "pkcs7": 7}`,
    `nonce=${root}`,
  ];
  for (const body of bodies) {
    await send(login, { method: 'POST', body });
    await send(login, { method: 'POST', body, headers: { 'content-type': `text/${root}` } });
    await send('/v1/auth/cloud/config/client', { method: 'POST', body, headers });
  }
  for (const path of [
    `/v1/${root}`,
    `/v1/auth/cloud/${root}`,
    `/v1/auth/cloud/role/${root}%zz`,
    `/${root}`,
    `/v1/auth/token/${root}`,
  ]) {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) await send(path, { method, headers });
  }
  await send(`${login}?token=${root}`, { method: 'GET', headers });
  await send('/v1/auth/token/lookup-self', { headers: { authorization: `Basic ${root}` } });
  await send('/v1/auth/token/lookup-self', { headers: { authorization: `Bearer ${root}x` } });
  await send('/v1/auth/token/lookup-self', { headers: { 'x-service-token': `${root}, ${root}` } });
}
