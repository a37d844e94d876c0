/**
 * A registry on loopback as somebody runs one: catalogue, tokens, HTTP, and three versions of a module published by upload.
 * What a test does to it, it does over HTTP, as an organization would.
 */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { addFilesToArchive, createHostedCatalogue } from '@postern/catalogue';
import { createRegistry } from '@postern/core-registry';
import { createRegistryApp, createUrlSigner, type Rate } from '@postern/http';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFixedRegistryAuthorizer, createMemoryBlobStore } from '@postern/testkit';
import { tarGz, zip } from './archives.js';
import { moduleFiles } from './module-files.js';

/** An invented name: clients want a dot in it, and a `host` block tells them where it is. */
export const HOST = 'registry.acme.test';
export const SOURCE = `${HOST}/acme/greeting/test`;
const MANAGED = 'api/v2/organizations/acme/registry-modules/private/acme/greeting/test';

export const MANAGER_TOKEN = 'manager-token-of-acme';
export const READER_TOKEN = 'reader-token-of-acme';

export interface Notice {
  readonly reason: string;
  readonly link: string;
}

export interface RegistrySite {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  /** What clients asked, in order: `GET /api/…`, without queries. */
  readonly requests: readonly string[];
  /** Whether archives of deprecated versions carry the check block. Off at first. */
  setOverlay(wanted: boolean): void;
  deprecate(version: string, notice: Notice): Promise<void>;
  reinstate(version: string): Promise<void>;
  revoke(version: string, message: string): Promise<void>;
  unrevoke(version: string): Promise<void>;
  close(): Promise<void>;
}

/** @param rate how often a caller may ask; as often as it likes without. */
export async function openRegistrySite(rate?: Rate): Promise<RegistrySite> {
  const clock = { now: Date.now };
  const catalogue = createHostedCatalogue({ storage: createMemoryStorage(), blobs: createMemoryBlobStore(), clock });
  const registry = createRegistry({
    storage: createMemoryStorage(),
    clock,
    catalogue,
    publisher: catalogue,
    authorizer: createFixedRegistryAuthorizer([
      { token: MANAGER_TOKEN, name: 'release-bot', manage: ['acme'] },
      { token: READER_TOKEN, name: 'pipeline', read: ['acme'] },
    ]),
    audit: { record: () => undefined },
  });
  let overlay = false;
  const requests: string[] = [];
  const defects: unknown[] = [];
  const app = createRegistryApp({
    registry,
    urlSigner: createUrlSigner([randomBytes(32)]),
    overlay: { wants: () => overlay, addFiles: addFilesToArchive },
    ...(rate === undefined ? {} : { rate }),
    peerAddress: () => '127.0.0.1',
    onError: (error) => defects.push(error),
  });
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      return app.fetch(request, undefined);
    },
  });
  await new Promise((resolve) => server.once('listening', resolve));
  // A server that listens on TCP has an address of this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  async function manage(method: string, version: string, contentType: string, body: BodyInit): Promise<void> {
    const headers = { authorization: `Bearer ${MANAGER_TOKEN}`, 'content-type': contentType };
    const response = await fetch(`${url}${MANAGED}/${version}`, { method, headers, body });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${version}: ${response.status} ${text} ${String(defects.at(-1) ?? '')}`);
  }
  const patch = (version: string, attributes: unknown) =>
    manage(
      'PATCH',
      version,
      'application/vnd.api+json',
      JSON.stringify({ data: { type: 'module-versions', attributes } }),
    );

  await manage('PUT', '1.0.0', 'application/gzip', new Uint8Array(tarGz(moduleFiles('1.0.0'))));
  await manage('PUT', '1.1.0', 'application/zip', new Uint8Array(zip(moduleFiles('1.1.0'))));
  await manage('PUT', '2.0.0', 'application/gzip', new Uint8Array(tarGz(moduleFiles('2.0.0'))));
  requests.length = 0;

  return {
    url,
    requests,
    setOverlay(wanted) {
      overlay = wanted;
    },
    deprecate: (version, notice) => patch(version, { deprecation: { 'deprecated-status': 'Deprecated', ...notice } }),
    reinstate: (version) => patch(version, { deprecation: { 'deprecated-status': 'Undeprecated' } }),
    revoke: (version, message) => patch(version, { revocation: { status: 'Revoked', message } }),
    unrevoke: (version) => patch(version, { revocation: { status: 'Unrevoked' } }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
