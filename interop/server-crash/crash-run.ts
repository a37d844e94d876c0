/**
 * Kills the server with SIGKILL in the middle of logins, starts it again, and asks for everything that it had
 * acknowledged: every token must look up, every access-list entry must stand (STORE-2).
 */

import { createSite, LOGIN_PATH, servePostern } from '@postern/internal';

const ROLE = 'crash';
const CLIENTS = 16;

/** Documents made ahead, so that signing them does not slow the load down. */
const DOCUMENTS_A_ROUND = 400;

export interface CrashReport {
  readonly rounds: number;
  /** Logins acknowledged over all rounds, and those under way when a kill came. */
  readonly acknowledged: number;
  readonly interrupted: number;
  /** What was lost, by instance: must be empty. */
  readonly lost: readonly string[];
}

interface Acknowledged {
  readonly instanceId: string;
  readonly token: string;
}

export async function runCrashes(rounds: number): Promise<CrashReport> {
  const site = createSite();
  const acknowledged: Acknowledged[] = [];
  const lost = new Set<string>();
  let interrupted = 0;
  try {
    let server = await servePostern(site.configFile);
    const { rootToken } = server;
    if (rootToken === undefined) throw new Error('the first start printed no root token');
    await site.writeRole(server.url, rootToken, ROLE);
    for (let round = 0; round < rounds; round += 1) {
      const documents = Array.from({ length: DOCUMENTS_A_ROUND }, () => site.newDocument());
      // Unlike waits, so that kills fall on every stage of a commit; the first logins warm the process up.
      const enough = 40 + ((round * 37) % 160);
      const before = acknowledged.length;
      const clients = Array.from({ length: CLIENTS }, async () => {
        for (let next = documents.pop(); next !== undefined; next = documents.pop()) {
          const token = await login(server.url, next.pkcs7);
          if (token === undefined) {
            interrupted += 1;
            return;
          }
          acknowledged.push({ instanceId: next.instanceId, token });
          if (acknowledged.length - before === enough) server.signal('SIGKILL');
        }
      });
      await Promise.all(clients);
      if ((await server.ended) !== null) throw new Error('the server ended by itself');
      server = await servePostern(site.configFile);
      if (server.rootToken !== undefined) throw new Error('a restart printed another root token');
      for (const id of await missing(server.url, rootToken, acknowledged)) lost.add(id);
    }
    server.signal('SIGTERM');
    if ((await server.ended) !== 0) throw new Error('the last server did not end in order');
    return { rounds, acknowledged: acknowledged.length, interrupted, lost: [...lost] };
  } finally {
    site.remove();
  }
}

/** @returns undefined when the server went away before it answered. */
async function login(url: string, pkcs7: string): Promise<string | undefined> {
  let response: Response;
  try {
    response = await fetch(url + LOGIN_PATH, { method: 'POST', body: JSON.stringify({ role: ROLE, pkcs7 }) });
    const body = (await response.json()) as { auth?: { client_token: string } };
    if (body.auth !== undefined) return body.auth.client_token;
  } catch {
    return undefined;
  }
  throw new Error(`a login was refused: ${response.status}`);
}

async function missing(url: string, rootToken: string, all: readonly Acknowledged[]): Promise<string[]> {
  const list = await fetch(`${url}/v1/auth/cloud/identity-accesslist?list=true`, {
    headers: { 'x-service-token': rootToken },
  });
  const { data } = (await list.json()) as { data: { keys: string[] } };
  const entries = new Set(data.keys);
  const lost: string[] = [];
  const waiting = [...all];
  const readers = Array.from({ length: CLIENTS }, async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const answer = await fetch(`${url}/v1/auth/token/lookup-self`, { headers: { 'x-service-token': next.token } });
      await answer.text();
      if (answer.status !== 200 || !entries.has(next.instanceId)) lost.push(next.instanceId);
    }
  });
  await Promise.all(readers);
  return lost;
}
