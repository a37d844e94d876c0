/** Publishing and deleting: rights first, refusals in the registry's codes, and what becomes of a status. */
import { MAX_ATTEMPTS } from '@postern/kernel';
import { ModuleArchiveError, type ModulePublisher, type ModuleVersionDetails } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import {
  createFaultStorage,
  createFixedRegistryAuthorizer,
  createManualClock,
  createMemoryCatalogue,
  type MemoryCatalogue,
} from '@postern/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRegistry } from '../create-registry.js';
import { isRegistryError } from '../errors.js';

const MODULE = { namespace: 'acme', name: 'network', provider: 'aws' } as const;
const V1 = { ...MODULE, version: '1.0.0' };

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (isRegistryError(error) ? error.code : error),
  );

async function* content() {
  yield new Uint8Array([1]);
}

function openRegistry(publisherOf?: (catalogue: MemoryCatalogue) => ModulePublisher) {
  const storage = createFaultStorage(createMemoryStorage());
  const catalogue = createMemoryCatalogue([{ address: V1 }]);
  const operations: string[] = [];
  const registry = createRegistry({
    storage,
    clock: createManualClock(0),
    catalogue,
    publisher: publisherOf?.(catalogue),
    authorizer: createFixedRegistryAuthorizer([
      { token: 'm', name: 'release-bot', manage: ['acme'] },
      { token: 'r', name: 'reader', read: ['acme'] },
    ]),
    audit: {
      record: ({ operation, outcome }) => {
        operations.push(`${operation} ${outcome}`);
      },
    },
  });
  return { registry, catalogue, storage, operations };
}

const working = (catalogue: MemoryCatalogue): ModulePublisher => ({
  publish: async ({ version, owner }) => catalogue.add({ address: version, owner }),
  delete: async (version) => catalogue.remove(version),
});
const failing = (error: unknown) => (): ModulePublisher => ({
  publish: () => Promise.reject(error) as Promise<ModuleVersionDetails>,
  delete: () => Promise.reject(error) as Promise<boolean>,
});
const as = (token: string | undefined) => ({ token, requestId: 'r' });

describe('rights', () => {
  it.each([
    [undefined, V1, 'unauthorized'],
    ['wrong', V1, 'unauthorized'],
    ['r', V1, 'not_found'],
    ['m', { ...V1, namespace: 'other' }, 'not_found'],
    ['m', { ...V1, name: 'a/b' }, 'not_found'],
  ] as const)('token %s at %j: %s', async (token, version, code) => {
    const { registry, catalogue } = openRegistry(working);
    expect(await codeOf(registry.open(as(token)).publish(version, { content: content() }))).toBe(code);
    expect(await codeOf(registry.open(as(token)).delete(version))).toBe(code);
    expect(await catalogue.hasVersion(V1)).toBe(true);
  });

  it('without a publisher nothing is published or deleted', async () => {
    const { registry } = openRegistry();
    expect(await codeOf(registry.open(as('m')).publish(V1, { content: content() }))).toBe('not_found');
    expect(await codeOf(registry.open(as('m')).delete(V1))).toBe('not_found');
  });
});

describe('a refused archive', () => {
  it.each([
    ['version_exists', 'version_exists'],
    ['archive_too_large', 'archive_too_large'],
    ['archive_entry_path', 'archive_refused'],
    ['version_invalid', 'archive_refused'],
  ] as const)('%s is %s, with its place', async (problem, code) => {
    const place = { path: 'main.tf', line: 3 };
    const { registry } = openRegistry(failing(new ModuleArchiveError(problem, 'no', { place })));
    const published = registry.open(as('m')).publish({ ...V1, version: '2.0.0' }, { content: content() });
    await expect(published).rejects.toMatchObject({ code, details: { problem, path: 'main.tf', line: '3' } });
  });

  it('what is no refusal is a defect', async () => {
    const { registry } = openRegistry(failing(new Error('x')));
    expect(await codeOf(registry.open(as('m')).publish(V1, { content: content() }))).toBe('internal');
    const plain = openRegistry(failing(new ModuleArchiveError('archive_empty', 'no')));
    const published = plain.registry.open(as('m')).publish(V1, { content: content() });
    await expect(published).rejects.toMatchObject({ details: { problem: 'archive_empty' } });
  });
});

describe('a deleted version', () => {
  let at: ReturnType<typeof openRegistry>;
  beforeEach(() => {
    at = openRegistry(working);
  });
  const again = async () => {
    await at.registry.open(as('m')).publish(V1, { content: content() });
    const { entries } = await at.registry.open(as('m')).history(V1);
    return { status: await at.registry.open(as('m')).status(V1), commands: entries.map(({ command }) => command) };
  };

  it('starts afresh when its number is published again; its history tells', async () => {
    await at.registry.open(as('m')).deprecate(V1, { reason: 'x' });
    await at.registry.open(as('m')).delete(V1);
    expect(await codeOf(at.registry.open(as('m')).status(V1))).toBe('not_found');
    expect(await again()).toMatchObject({
      status: { state: 'active', deprecation: null, revocation: null },
      commands: ['delete', 'deprecate'],
    });
    expect(at.operations).toEqual(
      expect.arrayContaining(['registry.version.delete allowed', 'registry.version.publish allowed']),
    );
  });

  it('R-B10: that was revoked returns revoked, with its notices, as often as it is deleted', async () => {
    await at.registry.open(as('m')).deprecate(V1, { reason: 'x' });
    await at.registry.open(as('m')).revoke(V1, { reason: 'leaks keys' });
    for (const deletions of [1, 2]) {
      await at.registry.open(as('m')).delete(V1);
      const { status, commands } = await again();
      expect(status).toMatchObject({
        state: 'revoked',
        deprecation: { reason: 'x' },
        revocation: { reason: 'leaks keys' },
      });
      expect(commands).toEqual([...Array.from({ length: deletions }, () => 'delete'), 'revoke', 'deprecate']);
    }
    expect((await at.registry.open(as('m')).history(V1)).entries[0]).toMatchObject({ from: 'revoked', to: 'revoked' });
    expect((await at.registry.open(as('m')).unrevoke(V1)).status.state).toBe('deprecated');
  });

  it('that was active leaves no entry', async () => {
    await at.registry.open(as('m')).delete(V1);
    expect((await again()).commands).toEqual([]);
  });

  it.each(['unavailable', 'conflict', 'lost_unknown', 'applied_unknown'] as const)(
    'has no status left when its number is published again, although the commit met %s',
    async (fault) => {
      await at.registry.open(as('m')).deprecate(V1, {});
      at.storage.failNextCommit(fault);
      await codeOf(at.registry.open(as('m')).delete(V1));
      expect((await again()).status.state).toBe('active');
    },
  );

  it('is contended where others never let go', async () => {
    await at.registry.open(as('m')).deprecate(V1, {});
    for (let conflict = 0; conflict < MAX_ATTEMPTS; conflict += 1) at.storage.failNextCommit('conflict');
    expect(await codeOf(at.registry.open(as('m')).delete(V1))).toBe('storage_contended');
  });
});
