/** A registry over memory, with a manager, a reader, a stranger and a few versions: what the tests of this package start from. */
import type { AuditEvent, ModulePublisher, ModuleVersionAddress, RegistryEvent, Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import {
  createFaultStorage,
  createFixedRegistryAuthorizer,
  createManualClock,
  createMemoryCatalogue,
  type FaultStorage,
} from '@postern/testkit';
import type { RegistryOptions } from '../src/context.js';
import { createRegistry } from '../src/create-registry.js';
import { isRegistryError, type RegistryError } from '../src/errors.js';
import type { RegistryCall } from '../src/results.js';

export const START = Date.UTC(2026, 10, 21);
export const MODULE = { namespace: 'acme', name: 'network', provider: 'aws' } as const;
export const V1: ModuleVersionAddress = { ...MODULE, version: '1.0.0' };

export interface TestRegistryOptions extends RegistryOptions {
  readonly versions?: readonly string[];
  readonly storage?: Storage;
  readonly audit?: (event: AuditEvent) => void;
  readonly publish?: (event: RegistryEvent) => void;
  /** Default: one that adds to and removes from the catalogue. `null`: none. */
  readonly publisher?: Partial<ModulePublisher> | null;
}

export function createTestRegistry(options: TestRegistryOptions = {}) {
  const { versions = ['1.0.0', '1.1.0', '2.0.0'], audit, publish, publisher = {}, ...registryOptions } = options;
  const memory = options.storage ?? createMemoryStorage();
  const storage: FaultStorage = createFaultStorage(memory);
  const clock = createManualClock(START);
  const catalogue = createMemoryCatalogue(versions.map((version) => ({ address: { ...MODULE, version } })));
  const authorizer = createFixedRegistryAuthorizer([
    { token: 'manager-token', name: 'release-bot', manage: ['acme'] },
    { token: 'reader-token', name: 'reader', read: ['acme'] },
    { token: 'stranger-token', name: 'stranger', manage: ['other'] },
  ]);
  const toCatalogue: ModulePublisher = {
    publish: async ({ version, owner, description = '', content }) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      return catalogue.add({ address: version, owner, description, content: chunks[0] });
    },
    delete: async (version) => catalogue.remove(version),
  };
  const events: AuditEvent[] = [];
  const published: RegistryEvent[] = [];
  const registry = createRegistry(
    {
      storage,
      clock,
      catalogue,
      publisher: publisher === null ? undefined : { ...toCatalogue, ...publisher },
      authorizer,
      audit: {
        record: (event) => {
          audit?.(event);
          events.push(event);
        },
      },
      events: {
        publish: (event) => {
          publish?.(event);
          published.push(event);
        },
      },
    },
    registryOptions,
  );
  let requests = 0;
  const callOf =
    (token: string | undefined) =>
    (more: Partial<RegistryCall> = {}): RegistryCall => {
      requests += 1;
      return { token, requestId: `request-${requests}`, peerAddress: '10.0.0.1', ...more };
    };
  return {
    registry,
    memory,
    storage,
    clock,
    catalogue,
    authorizer,
    events,
    published,
    manager: callOf('manager-token'),
    reader: callOf('reader-token'),
    stranger: callOf('stranger-token'),
    anonymous: callOf(undefined),
  };
}

export type TestRegistry = ReturnType<typeof createTestRegistry>;

/** The error that a call ends in; fails where it ends well. */
export async function errorOf(call: Promise<unknown>): Promise<RegistryError> {
  let result: unknown;
  try {
    result = await call;
  } catch (error) {
    if (isRegistryError(error)) return error;
    throw error;
  }
  throw new TypeError(`expected a RegistryError, got ${JSON.stringify(result)}`);
}

/** Everything that storage holds, for comparing before and after. */
export async function contentsOf(storage: Storage): Promise<ReadonlyMap<string, string>> {
  const contents = new Map<string, string>();
  let after: string | undefined;
  do {
    const page = await storage.list('postern/', { limit: 1000, after, values: true });
    for (const { key, record } of page.items) contents.set(key, record?.value ?? '');
    after = page.next;
  } while (after !== undefined);
  return contents;
}
