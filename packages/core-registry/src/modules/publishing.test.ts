/** Versions come and go: who may, what is told, and what becomes of the status (decision G5). */
import { ModuleArchiveError, type ModuleArchiveErrorCode, ProviderError, StorageError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { contentsOf, createTestRegistry, errorOf, type TestRegistry, V1 } from '../../test/create-test-registry.js';

const NEW = { ...V1, version: '3.0.0' };

async function* bytes(text = 'archive'): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Deprecates and revokes version 1.0.0. */
async function revoked(test: TestRegistry): Promise<TestRegistry> {
  await test.registry.deprecate(test.manager(), V1, { reason: 'old' });
  await test.registry.revoke(test.manager(), V1, { reason: 'stolen' });
  return test;
}

describe('publishing', () => {
  it('adds a version that the caller owns, and is recorded with its digest', async () => {
    const { registry, manager, reader, events } = createTestRegistry();
    const details = await registry.publish(manager(), { version: NEW, description: 'd', content: bytes() });
    expect(details).toMatchObject({ address: NEW, owner: 'release-bot', description: 'd' });
    expect((await registry.listVersions(reader(), V1)).latest.summary.version).toBe('3.0.0');
    expect(events).toMatchObject([
      {
        operation: 'registry.version.publish',
        outcome: 'allowed',
        principal: 'release-bot',
        details: { version: '3.0.0', digest: details.archive.digest },
      },
    ]);
  });

  it('takes no byte from somebody who may not, nor where nobody can', async () => {
    let read = false;
    async function* watched(): AsyncIterable<Uint8Array> {
      read = true;
      yield new Uint8Array();
    }
    const test = createTestRegistry();
    const publication = () => ({ version: NEW, content: watched() });
    const codes: string[] = [];
    for (const call of [test.anonymous(), test.reader(), test.stranger()]) {
      codes.push((await errorOf(test.registry.publish(call, publication()))).code);
    }
    const malformed = { version: { ...NEW, name: '../x' }, content: watched() };
    codes.push((await errorOf(test.registry.publish(test.manager(), malformed))).code);
    const without = createTestRegistry({ publisher: null });
    codes.push((await errorOf(without.registry.publish(without.manager(), publication()))).code);
    codes.push((await errorOf(without.registry.delete(without.manager(), V1))).code);
    expect(codes).toEqual(['unauthorized', ...Array(5).fill('not_found')]);
    expect(without.events.map(({ reason }) => reason)).toEqual(['not_publishable', 'not_publishable']);
    expect(read).toBe(false);
    expect(await test.catalogue.hasVersion(NEW)).toBe(false);
  });

  it.each<[ModuleArchiveErrorCode, string, string]>([
    ['version_exists', 'version_exists', 'conflict'],
    ['archive_too_large', 'archive_too_large', 'too_large'],
    ['archive_entry_path', 'archive_refused', 'invalid'],
    ['version_invalid', 'archive_refused', 'invalid'],
  ])('that is refused as %s is %s', async (problem, code, kind) => {
    const place = { path: 'main.tf', line: 3 };
    const { registry, manager } = createTestRegistry({
      publisher: { publish: () => Promise.reject(new ModuleArchiveError(problem, 'why', { place })) },
    });
    // A version that is no version is the publisher's to refuse: it says what is wrong with it.
    const version = problem === 'version_invalid' ? { ...NEW, version: '3' } : NEW;
    expect(await errorOf(registry.publish(manager(), { version, content: bytes() }))).toMatchObject({
      code,
      kind,
      details: { problem, path: 'main.tf', line: '3' },
    });
  });

  it.each([
    ['no place', undefined, {}],
    ['no line', { path: 'x', line: undefined }, { path: 'x' }],
  ])('that is refused with %s says no more', async (_name, place, more) => {
    const refusal = new ModuleArchiveError('archive_empty', 'why', place === undefined ? {} : { place });
    const { registry, manager } = createTestRegistry({ publisher: { publish: () => Promise.reject(refusal) } });
    const error = await errorOf(registry.publish(manager(), { version: NEW, content: bytes() }));
    expect(error.details).toEqual({ problem: 'archive_empty', ...more });
  });

  it('that fails for want of storage is unavailable', async () => {
    const failure = new ProviderError('unavailable', 'disk full');
    const { registry, manager } = createTestRegistry({ publisher: { publish: () => Promise.reject(failure) } });
    const error = await errorOf(registry.publish(manager(), { version: NEW, content: bytes() }));
    expect(error.code).toBe('provider_unavailable');
  });

  it('over a version that is there leaves its notice alone', async () => {
    const { registry, manager, reader } = await revoked(createTestRegistry());
    await registry.publish(manager(), { version: V1, content: bytes() });
    expect((await registry.status(reader(), V1)).state).toBe('revoked');
  });
});

describe('deleting', () => {
  it('takes version and status away, and the history tells of it', async () => {
    const { registry, manager, reader, events } = await revoked(createTestRegistry());
    await registry.delete(manager(), V1);
    expect((await errorOf(registry.status(reader(), V1))).code).toBe('not_found');
    expect(events.at(-2)).toMatchObject({
      operation: 'registry.version.delete',
      outcome: 'allowed',
      details: { from: 'revoked' },
    });
    await registry.publish(manager(), { version: V1, content: bytes('another') });
    expect((await registry.status(reader(), V1)).state).toBe('active');
    const { entries, total } = await registry.history(reader(), V1);
    expect(total).toBe(3);
    expect(entries[0]).toMatchObject({ seq: 3, command: 'delete', from: 'revoked', to: 'active', reason: null });
  });

  it('of a version without a notice leaves no entry', async () => {
    const { registry, manager, memory } = createTestRegistry();
    await registry.delete(manager(), V1);
    expect(await contentsOf(memory)).toEqual(new Map());
  });

  it.each([
    ['not there', { ...V1, version: '9.9.9' }, 'manager'],
    ['malformed', { ...V1, version: 'x' }, 'manager'],
    ['not theirs', V1, 'stranger'],
    ['theirs to read only', V1, 'reader'],
  ] as const)('what is %s is not found', async (_name, version, who) => {
    const test = createTestRegistry();
    expect((await errorOf(test.registry.delete(test[who](), version))).code).toBe('not_found');
    expect(await test.catalogue.hasVersion(V1)).toBe(true);
  });

  it('that ends half-way leaves no notice on what is published next', async () => {
    const { registry, manager, reader, storage } = await revoked(createTestRegistry());
    storage.failNextCommit('unavailable');
    expect((await errorOf(registry.delete(manager(), V1))).code).toBe('storage_unavailable');
    await registry.publish(manager(), { version: V1, content: bytes() });
    expect((await registry.status(reader(), V1)).state).toBe('active');
    expect((await registry.history(reader(), V1)).entries[0]).toMatchObject({ command: 'delete' });
  });

  it('that fails at the bytes keeps the block', async () => {
    const failure = new ProviderError('unavailable', 'down');
    const { registry, manager, reader } = await revoked(
      createTestRegistry({ publisher: { delete: () => Promise.reject(failure) } }),
    );
    expect((await errorOf(registry.delete(manager(), V1))).code).toBe('provider_unavailable');
    expect((await registry.status(reader(), V1)).state).toBe('revoked');
  });

  it('decides again after a conflict, and gives up in the end', async () => {
    const { registry, manager, storage } = await revoked(createTestRegistry());
    storage.failNextCommit('conflict');
    await registry.delete(manager(), V1);
    const contended = await revoked(createTestRegistry());
    contended.storage.commit = () => Promise.reject(new StorageError('conflict', 'changed', { keys: ['k'] }));
    expect((await errorOf(contended.registry.delete(contended.manager(), V1))).code).toBe('storage_contended');
  });
});
