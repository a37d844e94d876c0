/** The registry of `postern serve`: a hosted catalogue on the server's storage and a folder, opened by the method's tokens. */
import { openFileBlobStore } from '@postern/blobs-files';
import {
  type ArchiveLimits,
  addFilesToArchive,
  createHostedCatalogue,
  createThreadReader,
  type HostedCatalogue,
  type Quota,
} from '@postern/catalogue';
import { createRegistry, type Registry } from '@postern/core-registry';
import { type ArchiveOverlay, createRegistryPage, createUrlSigner, type Rate } from '@postern/http';
import { newestFormat, type Sealer, type WriteFormat } from '@postern/kernel';
import { type AuditSink, type BlobStore, isProviderError, type ModuleAddress, type Storage } from '@postern/ports';
import { describeError } from '../log.js';
import { StartError } from '../start-error.js';
import { loadRegistryKeys, type RegistryKeys } from './registry-keys.js';
import type { OpenRegistry, RegistrySurroundings } from './served-registry.js';
import { startSweepTimer } from './sweep-timer.js';
import { createTokenAuthorizer } from './token-authorizer.js';

export interface HostedRegistryOptions {
  readonly storage: Storage;
  /** The format version that records are written in (STORE-5). Default: the newest. */
  readonly recordFormat?: WriteFormat | undefined;
  /** Seals the registry's keys (STORE-4). Default: they are stored in plain text. */
  readonly sealer?: Sealer | undefined;
  /** Only for a storage that is not the server's. Default: the sinks of the server. */
  readonly audit?: AuditSink | undefined;
  /** Folder of the archives; made where it is missing. */
  readonly archives: string;
  /** Whether no other process publishes to the same storage and folder: leftovers then need no time to be sure of. */
  readonly isAlone?: boolean;
  /** Default true. `false` where another process sweeps the same archives. */
  readonly sweeps?: boolean | undefined;
  /** Organizations that may have modules. Default: any. */
  readonly organizations?: readonly string[] | undefined;
  /** Where clients reach the server. Default: as they ask. */
  readonly publicUrl?: string | undefined;
  /** Whether `/registry` is served. Default true. */
  readonly page?: boolean | undefined;
  /** At the top of the page. */
  readonly title?: string | undefined;
  readonly sessionSeconds?: number | undefined;
  readonly downloadTtlSeconds?: number | undefined;
  /** `false`: as often as they like. Default 500 a second and 10,000 at once for a token. */
  readonly rate?: Rate | false | undefined;
  readonly limits?: Partial<ArchiveLimits> | undefined;
  /** How much an organization may keep. Default: any. */
  readonly quota?: Quota | undefined;
  /** Organizations, and modules as `acme/network/aws`, whose deprecated archives carry a check that warns. */
  readonly overlay?: readonly string[] | undefined;
}

/** Below these lies everything that the registry keeps in the storage that it shares with the auth method. */
const REGISTRY_PREFIX = 'postern/registry/';
const CATALOGUE_PREFIX = 'postern/catalogue/';

/**
 * A registry for `createServer`.
 *
 * @example
 * ```ts
 * const registry = hostedRegistry({ storage, audit, archives: './postern-data/archives' });
 * const server = await createServer({ storage, audit, provider, registry });
 * ```
 */
export function hostedRegistry(options: HostedRegistryOptions): OpenRegistry {
  return async (surroundings) => {
    const { clock, crypto, log } = surroundings;
    const openedAt = clock.now();
    const { recordFormat = newestFormat } = options;
    const keys = await loadRegistryKeys(options.storage, crypto, {
      sealer: options.sealer,
      format: recordFormat,
    });
    const blobs = await openArchives(options.archives);
    const reader = createThreadReader();
    const catalogue = createHostedCatalogue({
      reader,
      storage: options.storage,
      blobs,
      clock,
      prefix: CATALOGUE_PREFIX,
      recordFormat,
      limits: options.limits,
      quota: options.quota,
    });
    const registry = createRegistry(
      {
        storage: options.storage,
        clock,
        catalogue,
        publisher: catalogue,
        authorizer: authorizerOf(options, surroundings, catalogue),
        audit: auditOf(options, surroundings),
      },
      { storagePrefix: REGISTRY_PREFIX, recordFormat },
    );
    // Alone, what lies there from before was left by a process that is gone.
    const leftBefore = options.isAlone === true ? openedAt : undefined;
    const sweeping = options.sweeps === false ? undefined : startSweepTimer(catalogue, log, leftBefore);
    return {
      http: httpOptions(options, registry, keys),
      page: options.page === false ? undefined : pageOf(options, surroundings, registry, keys),
      warnings: () => warningsOf(blobs),
      close: async (graceMs) => {
        await Promise.all([sweeping?.stop(graceMs), reader.close()]);
      },
    };
  };
}

/** The outbox of the server takes what is committed to its storage, and only that. */
function auditOf({ storage, audit }: HostedRegistryOptions, surroundings: RegistrySurroundings): AuditSink {
  if (storage === surroundings.storage) return surroundings.audit;
  return audit ?? { record: (event) => surroundings.audit.record(event) };
}

/** @throws StartError where the folder can't be made, read or written. */
async function openArchives(folder: string): Promise<BlobStore> {
  try {
    return await openFileBlobStore({ folder });
  } catch (error) {
    if (!isProviderError(error)) throw error;
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    const advice = 'let this user read and write that folder, or choose another';
    throw new StartError(`registry.archives: ${folder} cannot be used (${cause})\n  ${advice}`, error);
  }
}

function authorizerOf(
  { organizations }: HostedRegistryOptions,
  { method }: RegistrySurroundings,
  catalogue: HostedCatalogue,
) {
  return createTokenAuthorizer({
    method,
    namespaces: (call) => catalogue.namespaces(call),
    organizations: organizations === undefined ? undefined : new Set(organizations),
  });
}

function httpOptions(options: HostedRegistryOptions, registry: Registry, keys: RegistryKeys) {
  const { publicUrl, downloadTtlSeconds, rate = {}, overlay = [] } = options;
  return {
    registry,
    urlSigner: createUrlSigner([keys.urlKey]),
    overlay: { wants: isNamed(overlay), addFiles: addFilesToArchive },
    ...(rate === false ? {} : { rate }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(downloadTtlSeconds === undefined ? {} : { downloadTtlSeconds }),
  };
}

function isNamed(names: readonly string[]): ArchiveOverlay['wants'] {
  const wanted = new Set(names);
  return ({ namespace, name, provider }: ModuleAddress) =>
    wanted.has(namespace) || wanted.has(`${namespace}/${name}/${provider}`);
}

function pageOf(
  { publicUrl, title, sessionSeconds }: HostedRegistryOptions,
  surroundings: RegistrySurroundings,
  registry: Registry,
  { sessionKey }: RegistryKeys,
) {
  const { clock, crypto, log, peerAddress, readBody, bodyBudget } = surroundings;
  return createRegistryPage({
    registry,
    crypto,
    clock,
    sessionKey,
    publicUrl,
    loginRate: surroundings.loginRate,
    peerRate: surroundings.peerRate,
    tokenRate: surroundings.tokenRate,
    rateLimiter: surroundings.rateLimiter,
    ...(title === undefined ? {} : { title }),
    ...(sessionSeconds === undefined ? {} : { sessionSeconds }),
    peerAddress,
    readBody,
    bodyBudget,
    onError: (error, at) => log('error', 'unhandled error while serving a page', { ...at, ...describeError(error) }),
  });
}

/** One look into the folder: a mount that was lost is seen before the next download fails. */
async function warningsOf(blobs: BlobStore): Promise<readonly string[]> {
  try {
    await blobs.list({ limit: 1 });
    return [];
  } catch {
    return ["the folder of the registry's archives cannot be read"];
  }
}
