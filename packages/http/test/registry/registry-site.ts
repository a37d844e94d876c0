/** The registry over HTTP with memory behind it: a manager, a reader, a stranger, and a few versions of one module. */
import { createRegistry, type RegistryPorts } from '@postern/core-registry';
import { createRegistryApp, createUrlSigner, type RegistryAppOptions } from '@postern/http';
import type { AuditEvent } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import {
  createFaultStorage,
  createFixedRegistryAuthorizer,
  createManualClock,
  createMemoryCatalogue,
  type MemoryModuleVersion,
} from '@postern/testkit';

export const START = Date.UTC(2026, 10, 21, 9);
export const MODULE = { namespace: 'acme', name: 'network', provider: 'aws' } as const;
export const JSON_API = 'application/vnd.api+json';
export const MANAGED = '/api/v2/organizations/acme/registry-modules/private/acme/network/aws';
export const MODULES = '/api/registry/v1/modules';
export const READ = `${MODULES}/acme/network/aws`;
export const MANAGER = 'manager-token';
export const READER = 'reader-token';
export const STRANGER = 'stranger-token';

const KEY = new Uint8Array(32).fill(7);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed; undefined where nothing was sent or it is no JSON. */
  // Tests look into answers of many shapes.
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came over the wire
  readonly body: any;
}

export interface Sent {
  /** An object is sent as JSON, text as it stands. */
  readonly body?: unknown;
  readonly contentType?: string | null;
  /** Default: the manager's; null for none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SiteOptions {
  readonly versions?: readonly (string | MemoryModuleVersion)[];
  readonly app?: Partial<RegistryAppOptions<undefined>>;
  readonly ports?: (catalogue: ReturnType<typeof createMemoryCatalogue>) => Partial<RegistryPorts>;
}

export type RegistrySite = ReturnType<typeof openRegistrySite>;

export function openRegistrySite({ versions = ['1.0.0', '1.1.0', '2.0.0'], app: more, ports }: SiteOptions = {}) {
  const clock = createManualClock(START);
  const storage = createFaultStorage(createMemoryStorage());
  const catalogue = createMemoryCatalogue(
    versions.map((version) =>
      typeof version === 'string'
        ? { address: { ...MODULE, version }, owner: 'release-bot', publishedAt: START }
        : version,
    ),
  );
  const authorizer = createFixedRegistryAuthorizer([
    { token: MANAGER, name: 'release-bot', manage: ['acme'] },
    { token: READER, name: 'reader', read: ['acme'] },
    { token: STRANGER, name: 'stranger', manage: ['other'] },
  ]);
  const events: AuditEvent[] = [];
  const errors: unknown[] = [];
  const audit = {
    record: (event: AuditEvent) => {
      events.push(event);
    },
  };
  const registry = createRegistry({ storage, clock, catalogue, authorizer, audit, ...ports?.(catalogue) });
  const app = createRegistryApp<undefined>({
    registry,
    urlSigner: createUrlSigner([KEY]),
    clock,
    peerAddress: () => '192.0.2.1',
    onError: (error) => errors.push(error),
    ...more,
  });

  function fetch(method: string, path: string, { body, contentType, token = MANAGER, headers }: Sent = {}) {
    const type = contentType === undefined ? (body === undefined ? null : JSON_API) : contentType;
    // Bytes, so that nothing adds a content type of its own.
    const bytes =
      body === undefined
        ? undefined
        : body instanceof Uint8Array
          ? Uint8Array.from(body)
          : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
    return app.fetch(
      new Request(new URL(path, 'http://registry.test'), {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(type === null ? {} : { 'content-type': type }),
          ...headers,
        },
        ...(bytes === undefined ? {} : { body: bytes }),
      }),
      undefined,
    );
  }

  async function send(method: string, path: string, sent?: Sent): Promise<Answer> {
    const response = await fetch(method, path, sent);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  return {
    clock,
    storage,
    catalogue,
    authorizer,
    registry,
    events,
    errors,
    app,
    fetch,
    send,
    get: (path: string, sent?: Sent) => send('GET', path, sent),
    patch: (attributes: unknown, sent: Sent & { readonly version?: string } = {}) =>
      send('PATCH', `${MANAGED}/${sent.version ?? '1.0.0'}`, {
        body: { data: { type: 'module-versions', attributes } },
        ...sent,
      }),
    deprecate: (notice: object = {}, more: object = {}) =>
      send('PATCH', `${MANAGED}/1.0.0`, {
        body: {
          data: {
            type: 'module-versions',
            attributes: { deprecation: { 'deprecated-status': 'Deprecated', ...notice }, ...more },
          },
        },
      }),
  };
}

export const DEPRECATE = {
  deprecation: { 'deprecated-status': 'Deprecated', reason: 'Open by default.', link: 'https://wiki.acme.example/1' },
};
export const REVERT = { deprecation: { 'deprecated-status': 'Undeprecated' } };
export const REVOKE = {
  revocation: { status: 'Revoked', message: 'Leaks keys.', link: 'https://wiki.acme.example/2' },
};
export const UNREVOKE = { revocation: { status: 'Unrevoked' } };
