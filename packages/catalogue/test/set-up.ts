/** A catalogue on memory, and ways to publish to it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore, ModulePublication, ModuleVersionAddress, Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createManualClock, createMemoryBlobStore, type ManualClock } from '@postern/testkit';
import type { ArchiveLimits } from '../src/archive/archive-limits.js';
import { createHostedCatalogue, type HostedCatalogue } from '../src/hosted-catalogue.js';
import type { ModuleReader } from '../src/module/module-reader.js';
import type { Quota } from '../src/store/records.js';
import { tarGz } from './tar-writer.js';

export const NETWORK: ModuleVersionAddress = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };

export interface SetUp {
  readonly catalogue: HostedCatalogue;
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly clock: ManualClock;
  readonly scratchFolder: string;
  /** What lies in the scratch folder. */
  scratch(): readonly string[];
  publish(archive: Uint8Array, more?: Partial<ModulePublication>): ReturnType<HostedCatalogue['publish']>;
  /** All keys of the storage and digests of the blobs: what is left behind, but for the numbers that are taken. */
  leftovers(): Promise<readonly string[]>;
  remove(): void;
}

export interface SetUpOptions {
  readonly storage?: Storage | undefined;
  readonly blobs?: BlobStore | undefined;
  readonly limits?: Partial<ArchiveLimits> | undefined;
  readonly quota?: Quota | undefined;
  readonly reader?: ModuleReader | undefined;
}

export function setUp(options: SetUpOptions = {}): SetUp {
  const storage = options.storage ?? createMemoryStorage();
  const blobs = options.blobs ?? createMemoryBlobStore();
  const clock = createManualClock(1_700_000_000_000);
  const scratchFolder = mkdtempSync(join(tmpdir(), 'postern-catalogue-'));
  const catalogue = createHostedCatalogue({ clock, scratchFolder, ...options, storage, blobs });
  return {
    catalogue,
    storage,
    blobs,
    clock,
    scratchFolder,
    scratch: () => readdirSync(scratchFolder),
    publish: (archive, more = {}) =>
      catalogue.publish({ version: NETWORK, owner: 'ci', content: inChunks(archive), ...more }),
    leftovers: async () => {
      const keys = (await storage.list('', { limit: 1000 })).items.map(({ key }) => key);
      const others = keys.filter((key) => !/^catalogue\/(?:taken|spelling)\//.test(key));
      return [...others, ...(await blobs.list({ limit: 1000 })).digests, ...readdirSync(scratchFolder)];
    },
    remove: () => rmSync(scratchFolder, { recursive: true, force: true }),
  };
}

/** Bytes as a source. */
export async function* inChunks(bytes: Uint8Array, chunkBytes = 65_536): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
}

/** A module of one variable, different for each text. */
export const moduleArchive = (text = 'x'): Uint8Array =>
  tarGz([{ name: 'main.tf', content: `variable "${text}" {}\n` }]);

/** A call that must fail, and how. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => ({ resolved: value }),
    (error: unknown) => error,
  );
}
