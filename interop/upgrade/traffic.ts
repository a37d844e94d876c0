/** Customers of a fleet that is replaced under them: they try another node where one is gone, and keep what was acknowledged. */
import { LOGIN_PATH } from '@postern/internal';
import { createModuleArchive } from '@postern/testkit';
import type { Fleet, FleetNode } from './fleet.js';

export const ROLE = 'web';
const CLIENTS = 3;
const ATTEMPTS = 60;
const BETWEEN_MS = 100;
/** So that the machine has time for the nodes that start. */
const PAUSE_MS = 200;

interface Customer {
  readonly instanceId: string;
  readonly pkcs7: string;
  readonly nonce: string;
  readonly tokens: string[];
  readonly revoked: string[];
}

export interface Traffic {
  /** Runs until it is stopped. */
  start(): void;
  stop(): Promise<void>;
  /** What is not as it was acknowledged, asked of every node: empty. `latest`: only of what came since the last question. */
  lost(which: 'latest' | 'all'): Promise<readonly string[]>;
  /** Of every login and publication that was acknowledged. */
  readonly acknowledged: {
    readonly logins: number;
    readonly instanceIds: readonly string[];
    readonly versions: number;
  };
  /** Calls that had to be sent again because a connection was cut or refused. */
  readonly retried: number;
  /** Answers that no customer should see: `503 storage_unavailable of this build: POST /v1/…`. */
  readonly faults: readonly string[];
}

export interface Asked {
  readonly status: number;
  readonly text: string;
}

/** @returns status 0 where the node is gone. */
export async function askNode({ server }: FleetNode, path: string, init: RequestInit = {}): Promise<Asked> {
  try {
    const response = await fetch(server.url + path, init);
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

export function createTraffic(fleet: Fleet): Traffic {
  const { site, rootToken } = fleet;
  const customers: Customer[] = [];
  const versions = new Map<string, { deprecated: boolean }>();
  const faults: string[] = [];
  const counted = { logins: 0, retried: 0, turns: 0, published: 0 };
  let isStopped = false;
  /** Customers that were asked about. */
  let checked = 0;
  let work: Promise<unknown> = Promise.resolve();

  /** @param good statuses that settle it; `again`: those that do after an answer was lost. */
  async function ask(
    path: string,
    init: RequestInit,
    good: readonly number[],
    again: readonly number[] = [],
  ): Promise<Asked | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const nodes = fleet.nodes();
      counted.turns += 1;
      const node = nodes[counted.turns % nodes.length];
      const { status, text } = node === undefined ? { status: 0, text: '' } : await askNode(node, path, init);
      if (good.includes(status) || (attempt > 0 && again.includes(status))) return { status, text };
      if (status !== 0) {
        faults.push(`${status} ${text.slice(0, 200)} of ${node?.build.name}: ${init.method ?? 'GET'} ${path}`);
        return undefined;
      }
      counted.retried += 1;
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
    faults.push(`no answer in ${ATTEMPTS} attempts: ${path}`);
    return undefined;
  }
  async function login(customer: Customer): Promise<void> {
    const { pkcs7, nonce } = customer;
    const answer = await ask(LOGIN_PATH, { method: 'POST', body: JSON.stringify({ role: ROLE, pkcs7, nonce }) }, [200]);
    if (answer === undefined) return;
    counted.logins += 1;
    const { auth } = JSON.parse(answer.text) as { auth: { client_token: string } };
    customer.tokens.push(auth.client_token);
  }
  const ofToken = (token: string, path: string, method: 'GET' | 'POST', good: number, again: readonly number[] = []) =>
    ask(`/v1/auth/token/${path}`, { method, headers: { 'x-service-token': token } }, [good], again);
  const authorization = `Bearer ${rootToken}`;
  const managed = (version: string) =>
    `/api/v2/organizations/acme/registry-modules/private/acme/network/aws/${version}`;

  async function publish(version: string): Promise<void> {
    const body = Uint8Array.from(createModuleArchive({ 'main.tf': `variable "x" {\n  default = "${version}"\n}\n` }));
    const headers = { authorization, 'content-type': 'application/gzip' };
    // 409 after a lost answer: published by a build that keeps another digest of the same bytes.
    if ((await ask(managed(version), { method: 'PUT', headers, body }, [201], [409])) === undefined) return;
    const state = { deprecated: false };
    versions.set(version, state);
    const attributes = { deprecation: { 'deprecated-status': 'Deprecated', reason: `${version} is old.` } };
    const changed = await ask(
      managed(version),
      {
        method: 'PATCH',
        headers: { authorization, 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type: 'module-versions', attributes } }),
      },
      [200],
    );
    state.deprecated = changed !== undefined;
  }

  async function client(number: number): Promise<void> {
    for (let turn = 0; !isStopped; turn += 1) {
      const { instanceId, pkcs7 } = site.newDocument();
      const customer: Customer = { instanceId, pkcs7, nonce: `nonce-of-${instanceId}`, tokens: [], revoked: [] };
      await login(customer);
      if (customer.tokens.length === 0) continue;
      customers.push(customer);
      // One of before, perhaps of another build.
      const known = customers[(turn * 7 + number) % customers.length] ?? customer;
      await login(known);
      const [token = ''] = known.tokens;
      await ofToken(token, 'lookup-self', 'GET', 200);
      await ofToken(token, 'renew-self', 'POST', 200);
      if (known.tokens.length > 2) {
        const [second = ''] = known.tokens.splice(1, 1);
        // 403: the answer to its revocation was lost.
        await ofToken(second, 'revoke-self', 'POST', 204, [403]);
        known.revoked.push(second);
      }
      if (number === 0) {
        counted.published += 1;
        await publish(`1.${counted.published}.0`);
      }
      if (number === 1)
        await site.writeRole(fleet.nodes()[0]?.server.url ?? '', rootToken, `role-${turn % 5}`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async function lostOn(node: FleetNode, asked: readonly Customer[]): Promise<readonly string[]> {
    const lost: string[] = [];
    const headers = { 'x-service-token': rootToken };
    const list = await askNode(node, '/v1/auth/cloud/identity-accesslist?list=true', { headers });
    const waiting = [...asked];
    const readers = Array.from({ length: CLIENTS }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (!list.text.includes(next.instanceId)) lost.push(`entry of ${next.instanceId}`);
        const expected = [
          ...next.tokens.map((token) => [token, 200] as const),
          ...next.revoked.map((token) => [token, 403] as const),
        ];
        for (const [token, status] of expected) {
          const seen = await askNode(node, '/v1/auth/token/lookup-self', { headers: { 'x-service-token': token } });
          if (seen.status !== status) lost.push(`a token of ${next.instanceId}: ${seen.status} instead of ${status}`);
        }
      }
    });
    await Promise.all(readers);
    const seen = await askNode(node, '/api/registry/v1/modules/acme/network/aws/versions', {
      headers: { authorization },
    });
    const { modules = [] } = (seen.status === 200 ? JSON.parse(seen.text) : {}) as {
      modules?: { versions: { version: string; deprecation: object | null }[] }[];
    };
    const listed = new Map(modules[0]?.versions.map((each) => [each.version, each.deprecation]));
    for (const [version, { deprecated }] of versions) {
      if (!listed.has(version)) lost.push(`version ${version}: list ${seen.status}`);
      else if (deprecated && listed.get(version) === null) lost.push(`deprecation of ${version}`);
    }
    return lost.map((each) => `${each}, at ${node.name} of ${node.build.name}`);
  }

  return {
    start() {
      isStopped = false;
      work = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    },
    async stop() {
      isStopped = true;
      await work;
    },
    async lost(which) {
      const asked = customers.slice(which === 'all' ? 0 : checked);
      checked = customers.length;
      return (await Promise.all(fleet.nodes().map((node) => lostOn(node, asked)))).flat();
    },
    get acknowledged() {
      const instanceIds = customers.map(({ instanceId }) => instanceId);
      return { logins: counted.logins, instanceIds, versions: versions.size };
    },
    get retried() {
      return counted.retried;
    },
    faults,
  };
}
