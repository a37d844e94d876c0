/** Registries as a `fetch`: answers by address, and what was asked of them. */
import type { Fetch } from '../src/index.js';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | null;
  readonly body: unknown;
}

export type FakeAnswer = (asked: Asked) => Response | Promise<Response>;

export interface FakeRegistries {
  readonly fetch: Fetch;
  readonly asked: readonly Asked[];
}

/** @param answers by `GET https://…`; whatever is not there is a connection refused. */
export function fakeRegistries(answers: Readonly<Record<string, FakeAnswer>>): FakeRegistries {
  const asked: Asked[] = [];
  return {
    asked,
    fetch: async (url, { method = 'GET', headers, body }) => {
      const question: Asked = {
        method,
        url: String(url),
        authorization: new Headers(headers).get('authorization'),
        body: typeof body === 'string' ? JSON.parse(body) : undefined,
      };
      asked.push(question);
      const answer = answers[`${method} ${question.url}`];
      if (answer !== undefined) return answer(question);
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('nobody'), { code: 'ECONNREFUSED' }) });
    },
  };
}

export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): FakeAnswer =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });

export const HOST = 'registry.acme.test';
export const BASE = `https://${HOST}/v1/modules/`;
export const DISCOVERY = `GET https://${HOST}/.well-known/terraform.json`;
export const STATUSES = `POST ${BASE}statuses`;
export const VERSIONS = `GET ${BASE}acme/network/aws/versions`;

/** A registry that knows the wire contract and nothing of ours. */
export function plainRegistry(versions: readonly unknown[]): Record<string, FakeAnswer> {
  return {
    [DISCOVERY]: json({ 'modules.v1': '/v1/modules/' }),
    [STATUSES]: json({ errors: ['Not Found'] }, 404),
    [VERSIONS]: json({ modules: [{ versions }] }),
  };
}

/** As in a manifest: `net` calls `registry.acme.test/acme/network/aws` at a version. */
export function call(version: string | undefined, key = 'net', source = `${HOST}/acme/network/aws`) {
  return { key, source, version };
}
