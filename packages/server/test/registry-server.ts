/** A server with a registry on memory storage and a folder of its own, and clients of both. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Policy } from '@postern/core-auth';
import type { AuditEvent, Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createModuleArchive } from '@postern/testkit';
import { createServer, type PosternServer } from '../src/create-server.js';
import type { LogFacts } from '../src/log.js';
import { type HostedRegistryOptions, hostedRegistry } from '../src/registry/hosted-registry.js';

export const READ = '/api/registry/v1/modules/acme/network/aws';
export const MANAGE = '/api/v2/organizations/acme/registry-modules/private/acme/network/aws';
const IMAGE_ID = 'ami-1';

const POLICIES: Readonly<Record<string, Policy>> = {
  'acme-modules': { 'registry/acme': ['read'] },
  'acme-release': { 'registry/acme': ['read', 'update'] },
};

export interface Sent {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface RegistryServer {
  readonly server: PosternServer;
  readonly root: string;
  readonly archives: string;
  readonly events: readonly AuditEvent[];
  readonly logged: readonly (LogFacts & { readonly message: string })[];
  send(path: string, sent?: Sent): Promise<Response>;
  /** A new instance's token by a role with these policies. */
  login(policies: string, role?: Readonly<Record<string, unknown>>): Promise<string>;
  publish(version: string, token?: string): Promise<Response>;
  deprecate(version: string, token?: string): Promise<Response>;
  /** Another process on the same storage and folder, after this one. */
  restart(options?: Partial<HostedRegistryOptions>): Promise<RegistryServer>;
  stop(): Promise<void>;
}

/** An archive of its own for each version. */
const archiveOf = (version: string) =>
  Uint8Array.from(createModuleArchive({ 'main.tf': `variable "cidr" {\n  default = "${version}"\n}\n` }));

export async function startRegistryServer(
  options: Partial<HostedRegistryOptions> = {},
  before?: { readonly storage: Storage; readonly archives: string; readonly root: string },
): Promise<RegistryServer> {
  const storage = before?.storage ?? createMemoryStorage();
  const archives = before?.archives ?? join(mkdtempSync(join(tmpdir(), 'postern-registry-')), 'archives');
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const events: AuditEvent[] = [];
  const logged: (LogFacts & { message: string })[] = [];
  const audit = { record: (event: AuditEvent) => void events.push(event) };
  const server = await createServer({
    storage,
    audit,
    auth: { policies: POLICIES },
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
    registry: hostedRegistry({ storage, audit, archives, isAlone: true, ...options }),
    log: (_level, message, facts) => void logged.push({ ...facts, message }),
  });
  const root = before?.root ?? (await server.method.createRootToken());

  const send: RegistryServer['send'] = (path, { method = 'GET', token, headers = {}, body } = {}) =>
    fetch(new URL(path, server.url), {
      method,
      redirect: 'manual',
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  let roles = 0;
  return {
    server,
    root,
    archives,
    events,
    logged,
    send,
    async login(policies, role = {}) {
      roles += 1;
      const name = `role-${roles}`;
      const asHost = { requestId: name, peerAddress: '127.0.0.1', params: {} };
      const fields = { auth_type: 'ec2', bound_ami_id: IMAGE_ID, token_policies: policies, ...role };
      await server.method.handleAsHost({ ...asHost, operation: 'role.write', params: { role: name }, fields });
      const pkcs7 = cloud.launchInstance({ imageId: IMAGE_ID }).identityDocument().rsa2048;
      const { auth } = await server.method.handleAsHost({
        ...asHost,
        operation: 'login',
        fields: { role: name, pkcs7 },
      });
      if (auth === undefined) throw new TypeError('the login answered without auth');
      return auth.client_token;
    },
    publish: (version, token = root) =>
      send(`${MANAGE}/${version}`, {
        method: 'PUT',
        token,
        headers: { 'content-type': 'application/gzip' },
        body: archiveOf(version),
      }),
    deprecate: (version, token = root) =>
      send(`${MANAGE}/${version}`, {
        method: 'PATCH',
        token,
        headers: { 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({
          data: {
            type: 'module-versions',
            attributes: { deprecation: { 'deprecated-status': 'Deprecated', reason: 'Open by default.' } },
          },
        }),
      }),
    async restart(more = {}) {
      await server.close(500);
      return startRegistryServer({ ...options, ...more }, { storage, archives, root });
    },
    async stop() {
      await server.close(500);
      rmSync(join(archives, '..'), { recursive: true, force: true });
    },
  };
}
