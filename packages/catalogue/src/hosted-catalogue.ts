/** The hosted catalogue: module versions published by upload, kept in a Storage and a BlobStore. */
import { tmpdir } from 'node:os';
import { newestFormat } from '@postern/kernel';
import type { BlobStore, CallOptions, Clock, ModuleCatalogue, ModulePublisher, Storage } from '@postern/ports';
import { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from './archive/archive-limits.js';
import { inThreadReader, type ModuleReader } from './module/module-reader.js';
import { createModuleSearch } from './search/module-search.js';
import { deleteVersion } from './store/delete-version.js';
import { createVersionLists, listModules, listNamespaces } from './store/list-modules.js';
import { publishVersion } from './store/publish-version.js';
import { type CatalogueContext, catalogueKeys, createEncode, type Quota, readVersion } from './store/records.js';
import { type SweepOptions, type SweepResult, sweepUnreferenced } from './store/sweep.js';
import { checkQuota } from './store/usage.js';
import { openArchive, readDetails } from './store/version-contents.js';

export interface HostedCatalogueOptions {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  /** Prefix of every storage key. Default `catalogue/`. */
  readonly prefix?: string | undefined;
  /** The format version that records are written in (STORE-5); asked at each write. Default: the newest. */
  readonly recordFormat?: (() => number) | undefined;
  /** Where uploads are kept while they are checked. Default: the system's folder for temporary files. */
  readonly scratchFolder?: string | undefined;
  readonly limits?: Partial<ArchiveLimits> | undefined;
  /** How much an organization may keep. Default: any. Processes that share the storage should have the same. */
  readonly quota?: Quota | undefined;
  /** Reads uploads. Default: in this thread, which other work then waits for. `createThreadReader()` has a thread. */
  readonly reader?: ModuleReader | undefined;
}

export interface HostedCatalogue extends ModuleCatalogue, ModulePublisher {
  /**
   * Namespaces that have a module, in byte order; one read each.
   *
   * @throws ProviderError `unavailable`.
   */
  namespaces(options?: CallOptions): Promise<readonly string[]>;
  /**
   * Deletes archives that no version names: what a process left that was killed between two steps. Call it at start and
   * every some hours, beside other work: it takes turns with that.
   *
   * @throws ProviderError `unavailable`.
   */
  sweepUnreferenced(options?: SweepOptions): Promise<SweepResult>;
}

/**
 * Creates the catalogue. Many processes may share its storage and its blobs.
 *
 * @throws TypeError for limits that are no positive numbers, and for a quota that is no whole number.
 * @example
 * ```ts
 * const catalogue = createHostedCatalogue({ storage, blobs, clock });
 * const version = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };
 * await catalogue.publish({ version, owner: 'ci', content: request.body });
 * ```
 */
export function createHostedCatalogue(options: HostedCatalogueOptions): HostedCatalogue {
  const { storage, blobs, clock } = options;
  const context: CatalogueContext = {
    storage,
    blobs,
    clock,
    keys: catalogueKeys(options.prefix ?? 'catalogue/'),
    encode: createEncode(options.recordFormat ?? newestFormat),
    limits: checkLimits({ ...DEFAULT_ARCHIVE_LIMITS, ...options.limits }),
    quota: checkQuota(options.quota ?? {}),
    scratchFolder: options.scratchFolder ?? tmpdir(),
    reader: options.reader ?? inThreadReader,
  };
  const lists = createVersionLists();
  const searchModules = createModuleSearch(context);
  return {
    storage,
    namespaces: (call) => listNamespaces(context, call?.signal),
    listModules: (query, call) => listModules(context, query, call?.signal),
    search: (query, call) => searchModules(query, call?.signal),
    versions: (module, call) => lists.read(context, module, call?.signal),
    hasVersion: async (version, call) => (await readVersion(context, version, call?.signal)) !== undefined,
    details: (version, call) => readDetails(context, version, call?.signal),
    archive: (version, call) => openArchive(context, version, call?.signal),
    publish: (publication, call) => publishVersion(context, publication, call),
    delete: (version, call) => deleteVersion(context, version, call),
    sweepUnreferenced: (sweep) => sweepUnreferenced(context, sweep),
  };
}

function checkLimits(limits: ArchiveLimits): ArchiveLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isFinite(value) || value <= 0) throw new TypeError(`limits.${name}: must be a positive number`);
  }
  return limits;
}
