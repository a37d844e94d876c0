/** The registry's page in memory, with a visitor who keeps cookies and sends forms as a browser does. */
import { createRegistry, type Registry } from '@postern/core-registry';
import { createNodeCrypto } from '@postern/crypto-node';
import type { ModuleContents, Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import {
  createFixedRegistryAuthorizer,
  createManualClock,
  createMemoryCatalogue,
  type FixedRegistryAuthorizer,
  type ManualClock,
  type MemoryCatalogue,
} from '@postern/testkit';
import { createRegistryPage } from '../../src/page/create-registry-page.js';
import type { RegistryPage, RegistryPageOptions } from '../../src/page/page-options.js';

export const MANAGER = 'token-of-the-manager';
export const READER = 'token-of-the-reader';
export const STRANGER = 'token-of-a-stranger';
const START = Date.parse('2026-11-21T12:00:00Z');

export interface PageSite {
  readonly registry: Registry;
  readonly page: RegistryPage<undefined>;
  readonly catalogue: MemoryCatalogue;
  readonly authorizer: FixedRegistryAuthorizer;
  readonly clock: ManualClock;
  readonly defects: unknown[];
}

export function createPageSite(
  options: Partial<RegistryPageOptions<undefined>> & { readonly storage?: Storage } = {},
): PageSite {
  const { storage = createMemoryStorage(), ...pageOptions } = options;
  const clock = createManualClock(START);
  const crypto = createNodeCrypto();
  const catalogue = createMemoryCatalogue();
  const authorizer = createFixedRegistryAuthorizer([
    { token: MANAGER, name: 'release-bot', manage: ['acme'] },
    { token: READER, name: 'reader', read: ['acme'] },
    { token: STRANGER, name: 'stranger', read: ['globex'] },
  ]);
  const registry = createRegistry({ storage, clock, catalogue, authorizer, audit: { record: () => undefined } });
  const defects: unknown[] = [];
  const page = createRegistryPage({
    registry,
    crypto,
    clock,
    peerAddress: () => undefined,
    onError: (error) => defects.push(error),
    ...pageOptions,
  });
  return { registry, page, catalogue, authorizer, clock, defects };
}

export const NETWORK = { namespace: 'acme', name: 'network', provider: 'aws' };

export function addVersion(site: PageSite, version: string, root: Partial<ModuleContents> = {}): void {
  site.catalogue.add({
    address: { ...NETWORK, version },
    publishedAt: START,
    root: {
      path: '',
      name: '',
      readme: '',
      empty: false,
      inputs: [],
      outputs: [],
      dependencies: [],
      providerDependencies: [],
      resources: [],
      ...root,
    },
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Visitor {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a form from a page of the site, with its secret filled in where a page before had one. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  signIn(token: string): Promise<Answer>;
  readonly cookies: ReadonlyMap<string, string>;
}

export const ORIGIN = 'http://registry.acme.example';

export function createVisitor(page: RegistryPage<undefined>, origin: string = ORIGIN): Visitor {
  const cookies = new Map<string, string>();
  let formSecret = '';

  async function send(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Answer> {
    if (cookies.size > 0) init.headers['cookie'] ??= [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await page.fetch(new Request(`${origin}${path}`, init), undefined);
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    formSecret = /name="form_secret" value="([^"]*)"/.exec(text)?.[1] ?? formSecret;
    return { status: response.status, headers: response.headers, text };
  }

  const visitor: Visitor = {
    cookies,
    get: (path, headers = {}) => send(path, { headers: { ...headers } }),
    post: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin, ...headers },
        body: new URLSearchParams({ form_secret: formSecret, ...fields }).toString(),
      }),
    signIn: (token) => visitor.post('/registry/-/sign-in', { token, next: '/registry' }),
  };
  return visitor;
}
