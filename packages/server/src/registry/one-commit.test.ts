/**
 * Publishing and deleting on the storage that keeps the statuses too (AUDIT-6): the version, its status and the event of the call are
 * one commit, whichever call of the storage fails or is the last of its process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHostedCatalogue } from '@postern/catalogue';
import { createRegistry } from '@postern/core-registry';
import { type AuditEvent, type BlobStore, type Storage, StorageError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import {
  createFixedRegistryAuthorizer,
  createManualClock,
  createMemoryBlobStore,
  createModuleArchive,
} from '@postern/testkit';
import { afterAll, describe, expect, it } from 'vitest';

const V1 = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };
const scratchFolder = mkdtempSync(join(tmpdir(), 'postern-one-commit-'));
afterAll(() => rmSync(scratchFolder, { recursive: true, force: true }));

async function* content(name = 'x') {
  yield Uint8Array.from(createModuleArchive({ 'main.tf': `variable "${name}" {}\n` }));
}

/** A process on a storage and blobs: its registry, and the events that its sink got. */
function openProcess(storage: Storage, blobs: BlobStore, catalogueStorage = storage) {
  const events: AuditEvent[] = [];
  const clock = createManualClock(1_700_000_000_000);
  const catalogue = createHostedCatalogue({ storage: catalogueStorage, blobs, clock, scratchFolder });
  const registry = createRegistry(
    {
      storage,
      clock,
      catalogue,
      publisher: catalogue,
      authorizer: createFixedRegistryAuthorizer([{ token: 'm', name: 'release-bot', manage: ['acme'] }]),
      audit: { record: (event) => void events.push(event) },
    },
    { auditNode: 'only' },
  );
  return { registry, session: () => registry.open({ token: 'm', requestId: 'r' }), events, clock };
}

type Fault = 'unavailable' | 'answer_lost' | 'killed_before' | 'killed_after';

/** Fails one commit, and everything after it where the process dies there. */
function failing(storage: Storage, failAt: number, fault: Fault) {
  let commits = 0;
  let isDead = false;
  const dead = () => new StorageError('unavailable', 'the process is gone');
  const refuseDead = async () => {
    if (isDead) throw dead();
  };
  const wrapped: Storage = {
    get: (...asked) => refuseDead().then(() => storage.get(...asked)),
    getMany: (...asked) => refuseDead().then(() => storage.getMany(...asked)),
    list: (...asked) => refuseDead().then(() => storage.list(...asked)),
    listExpired: (...asked) => refuseDead().then(() => storage.listExpired(...asked)),
    readLog: (...asked) => refuseDead().then(() => storage.readLog(...asked)),
    removeFromLog: (...asked) => refuseDead().then(() => storage.removeFromLog(...asked)),
    close: () => storage.close(),
    async commit(...asked) {
      await refuseDead();
      commits += 1;
      if (commits !== failAt) return storage.commit(...asked);
      isDead = fault.startsWith('killed');
      if (fault === 'unavailable' || fault === 'killed_before') throw dead();
      await storage.commit(...asked);
      throw fault === 'answer_lost' ? new StorageError('outcome_unknown', 'no answer') : dead();
    },
  };
  return { storage: wrapped, commits: () => commits };
}

/** Runs a call with a fault at its first commit, its second, and so on. @returns for each: what came of it, and all events told. */
async function underFaults(fault: Fault, prepare: Call, call: Call) {
  const runs: { isThere: boolean; state: string; told: readonly AuditEvent[]; ended: boolean }[] = [];
  for (let at = 1, isReached = true; isReached; at += 1) {
    const memory = createMemoryStorage();
    const blobs = createMemoryBlobStore();
    const before = openProcess(memory, blobs);
    await prepare(before);
    await before.registry.close();
    const broken = failing(memory, at, fault);
    const first = openProcess(broken.storage, blobs);
    const ended = await call(first).then(
      () => true,
      () => false,
    );
    await first.registry.close();
    const next = openProcess(memory, blobs);
    await next.registry.feedAudit();
    const told = new Map([...first.events, ...next.events].map((event) => [event.id, event]));
    const isThere = await next
      .session()
      .listVersions(V1)
      .then(({ versions }) => versions.length > 0)
      .catch(() => false);
    // The same bytes, for others are refused under a number that was there; once the removal that broke off is over.
    next.clock.advance(60_000);
    if (!isThere) await next.session().publish(V1, { content: content() });
    const { state } = await next.session().status(V1);
    runs.push({ isThere, state, ended, told: [...told.values()].filter(({ outcome }) => outcome === 'allowed') });
    isReached = broken.commits() >= at;
  }
  return runs;
}

type Call = (process: ReturnType<typeof openProcess>) => Promise<unknown>;
const nothing: Call = async () => undefined;
const publish: Call = ({ session }) => session().publish(V1, { content: content() });
const remove: Call = ({ session }) => session().delete(V1);

describe.each<Fault>(['unavailable', 'answer_lost', 'killed_before', 'killed_after'])(
  'with %s at any commit',
  (fault) => {
    it('a version is there with the event of its publication, or neither is', async () => {
      const runs = await underFaults(fault, nothing, publish);
      expect(runs.length).toBeGreaterThanOrEqual(3);
      for (const { isThere, told, ended } of runs) {
        const events = told.map(({ operation, phase, details }) => [operation, phase, typeof details?.['digest']]);
        expect(events).toEqual(isThere ? [['registry.version.publish', undefined, 'string']] : []);
        if (ended) expect(isThere).toBe(true);
      }
      expect(runs.some(({ isThere }) => isThere)).toBe(true);
    });

    it('a version goes with its status and the event of its deletion, or all stay', async () => {
      const prepare: Call = async (process) => {
        await publish(process);
        await process.session().deprecate(V1, { reason: 'old' });
      };
      const runs = await underFaults(fault, prepare, remove);
      expect(runs.length).toBeGreaterThanOrEqual(2);
      for (const { isThere, state, told, ended } of runs) {
        const events = told.map(({ operation, phase, details }) => [operation, phase, details?.['from']]);
        expect(events).toEqual(isThere ? [] : [['registry.version.delete', undefined, 'deprecated']]);
        // What is published again under the number has no notice of before.
        expect(state).toBe(isThere ? 'deprecated' : 'active');
        if (ended) expect(isThere).toBe(false);
      }
      expect(runs.some(({ isThere }) => !isThere)).toBe(true);
    });
  },
);

it('a sink that failed for a minute has an upload refused before its first byte is read', async () => {
  const storage = createMemoryStorage();
  const clock = createManualClock(1_700_000_000_000);
  const catalogue = createHostedCatalogue({ storage, blobs: createMemoryBlobStore(), clock, scratchFolder });
  const authorizer = createFixedRegistryAuthorizer([{ token: 'm', name: 'release-bot', manage: ['acme'] }]);
  const audit = { record: () => Promise.reject(new TypeError('disk full')) };
  const registry = createRegistry({ storage, clock, catalogue, publisher: catalogue, authorizer, audit });
  const session = registry.open({ token: 'm', requestId: 'r' });
  await session.publish(V1, { content: content() });
  clock.advance(60_001);
  let isRead = false;
  async function* watched() {
    isRead = true;
    yield* content();
  }
  const published = session.publish({ ...V1, version: '2.0.0' }, { content: watched() });
  await expect(published).rejects.toMatchObject({ code: 'audit_unavailable' });
  expect(isRead).toBe(false);
});

it('a catalogue on a storage of its own is committed there, between an event that announces it and one of its end', async () => {
  const { session, registry, events } = openProcess(
    createMemoryStorage(),
    createMemoryBlobStore(),
    createMemoryStorage(),
  );
  await session().publish(V1, { content: content() });
  await session().deprecate(V1, { reason: 'old' });
  await session().delete(V1);
  await expect(session().listVersions(V1)).rejects.toMatchObject({ code: 'not_found' });
  await session().publish(V1, { content: content() });
  expect(await session().status(V1)).toMatchObject({ state: 'active' });
  await registry.close();
  const allowed = events.filter(({ outcome }) => outcome === 'allowed');
  expect(allowed.map(({ operation, phase }) => [operation, phase])).toEqual([
    ['registry.version.publish', 'intent'],
    ['registry.version.publish', undefined],
    ['registry.version.deprecate', undefined],
    ['registry.version.delete', 'intent'],
    ['registry.version.delete', undefined],
    ['registry.version.publish', 'intent'],
    ['registry.version.publish', undefined],
  ]);
});
