/** A registry on a free port of the loopback address: its API, its page, and modules that look like real ones. */
import { serve } from '@hono/node-server';
import { createRegistry } from '@postern/core-registry';
import { createNodeCrypto } from '@postern/crypto-node';
import { createRegistryApp, createRegistryPage, createUrlSigner } from '@postern/http';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFixedRegistryAuthorizer, createMemoryCatalogue } from '@postern/testkit';
import { HOSTILE_MODULE, MODULES } from './modules.js';

export const MANAGER = 'manager-token-of-this-test';
export const READER = 'reader-token-of-this-test';

export interface PageServer {
  readonly url: string;
  /** Faults of ours: there must be none. */
  readonly faults: readonly unknown[];
  /** A change through the registry's API, as another program makes it (REGAPI-1). Answers the status. */
  patch(version: string, deprecation: Readonly<Record<string, unknown>>): Promise<number>;
  close(): Promise<void>;
}

export async function startPageServer(): Promise<PageServer> {
  const crypto = createNodeCrypto();
  const registry = createRegistry({
    storage: createMemoryStorage(),
    clock: { now: () => Date.now() },
    catalogue: createMemoryCatalogue([...MODULES, ...HOSTILE_MODULE]),
    authorizer: createFixedRegistryAuthorizer([
      { token: MANAGER, name: 'ada', manage: ['acme', 'globex'] },
      { token: READER, name: 'grace', read: ['acme'] },
    ]),
    audit: { record: () => undefined },
  });
  const faults: unknown[] = [];
  const common = { registry, peerAddress: () => '127.0.0.1', onError: (error: unknown) => faults.push(error) };
  const api = createRegistryApp({ ...common, urlSigner: createUrlSigner([crypto.bytes(32)]) });
  const page = createRegistryPage({ ...common, crypto, title: 'Acme module registry' });
  const fetch = (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const isPage = pathname === page.path || pathname.startsWith(`${page.path}/`);
    return isPage ? page.fetch(request, undefined) : api.fetch(request, undefined);
  };
  const { server, url } = await new Promise<{ server: ReturnType<typeof serve>; url: string }>((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      resolve({ server, url: `http://127.0.0.1:${port}` });
    });
  });
  return {
    url,
    faults,
    async patch(version, deprecation) {
      const response = await globalThis.fetch(
        `${url}/api/v2/organizations/acme/registry-modules/private/acme/network/aws/${version}`,
        {
          method: 'PATCH',
          headers: { authorization: `Bearer ${MANAGER}`, 'content-type': 'application/vnd.api+json' },
          body: JSON.stringify({ data: { type: 'module-versions', attributes: { deprecation } } }),
        },
      );
      await response.arrayBuffer();
      return response.status;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
