/**
 * The newest version of each module, kept in the record of the module: a list of modules reads that record and nothing else of a
 * module (MODULE-10). Written in the commit that adds or removes a version, as the record was read.
 */
import { type ModuleAddress, type ModuleVersionAddress, type ModuleVersionFacts, STORAGE_LIMITS } from '@postern/ports';
import compareBuild from 'semver/functions/compare-build.js';
import parse from 'semver/functions/parse.js';
import {
  type CatalogueContext,
  decodeModule,
  type ModuleRecord,
  type NewestRecord,
  ofStorage,
  readVersion,
  type VersionRecord,
} from './records.js';

/** Releases before prereleases, then by semantic version. Texts that cannot be ordered are older than all. */
function isNewer(version: string, than: string | undefined): boolean {
  const ours = parse(version);
  const theirs = than === undefined ? null : parse(than);
  if (ours === null || theirs === null) return ours !== null;
  const [isPrerelease, wasPrerelease] = [ours.prerelease.length > 0, theirs.prerelease.length > 0];
  return isPrerelease === wasPrerelease ? compareBuild(ours, theirs) > 0 : wasPrerelease;
}

function newestRecord(version: string, record: VersionRecord): NewestRecord {
  const { owner, description, source, publishedAt } = record;
  return { version, owner, description, source, publishedAt };
}

/** The record of a module that has one version more. @param module as it was read; undefined: it is the first version. */
export async function withVersion(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  added: VersionRecord,
  module: ModuleRecord | undefined,
): Promise<ModuleRecord> {
  const { versions = 0, newest: known } = module ?? {};
  const before = known ?? (versions === 0 ? undefined : await findNewest(context, address));
  const newest = isNewer(address.version, before?.version) ? newestRecord(address.version, added) : before;
  return { versions: versions + 1, newest };
}

/** The record of a module that has one version less. */
export async function withoutVersion(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  module: ModuleRecord | undefined,
): Promise<ModuleRecord> {
  const { versions = 1, newest } = module ?? {};
  const left = Math.max(0, versions - 1);
  const isOther = newest !== undefined && newest.version !== address.version;
  return {
    versions: left,
    newest: isOther || left === 0 ? newest : await findNewest(context, address, address.version),
  };
}

/** Undefined where no version can be ordered, and where it was deleted meanwhile: then the module's record has changed too. */
async function findNewest(
  context: CatalogueContext,
  module: ModuleAddress,
  besides?: string,
): Promise<NewestRecord | undefined> {
  const { keys, storage } = context;
  const { namespace, name, provider } = module;
  const prefix = keys.summariesOf(module);
  let newest: string | undefined;
  let after: string | undefined;
  do {
    const query = { after, limit: STORAGE_LIMITS.maxPage };
    const page = await ofStorage(() => storage.list(prefix, query));
    for (const { key } of page.items) {
      const version = key.slice(prefix.length);
      if (version !== besides && isNewer(version, newest)) newest = version;
    }
    after = page.next;
  } while (after !== undefined);
  if (newest === undefined) return undefined;
  const found = await readVersion(context, { namespace, name, provider, version: newest });
  return found && newestRecord(newest, found.record);
}

/** What a list shows of the module whose record this is. */
export function factsOf(module: ModuleAddress, key: string, value: string): ModuleVersionFacts | undefined {
  const { newest } = decodeModule(key, value);
  if (newest === undefined) return undefined;
  const { version, ...facts } = newest;
  return { address: { ...module, version }, ...facts };
}
