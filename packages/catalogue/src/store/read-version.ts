/** Reading one version: its record, its details, its archive. */
import {
  type ModuleArchive,
  type ModuleVersionAddress,
  type ModuleVersionDetails,
  ProviderError,
  type Version,
} from '@postern/ports';
import { isVersionAddress } from '../names/module-names.js';
import { fromParts } from '../records/contents-parts.js';
import { decodeVersion, type VersionRecord } from '../records/records.js';
import { type CatalogueContext, ofStorage } from './catalogue-context.js';

export interface FoundVersion {
  readonly record: VersionRecord;
  readonly version: Version;
}

export async function readVersion(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  signal?: AbortSignal,
): Promise<FoundVersion | undefined> {
  if (!isVersionAddress(address)) return undefined;
  const key = context.keys.version(address);
  const found = await ofStorage(() => context.storage.get(key, { signal }));
  return found === undefined ? undefined : { record: decodeVersion(key, found.value), version: found.version };
}

/** See `ModuleCatalogue.details`. */
export async function readDetails(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  signal?: AbortSignal,
): Promise<ModuleVersionDetails | undefined> {
  return whileThere(context, address, signal, async ({ record }) => {
    const keys = Array.from({ length: record.parts }, (_, index) =>
      context.keys.part(address, record.archive.digest, index),
    );
    const parts = await ofStorage(() => context.storage.getMany(keys, { signal }));
    const values = parts.flatMap((part) => (part === undefined ? [] : [part.value]));
    if (values.length !== keys.length) return undefined;
    const { owner, description, source, publishedAt, archive } = record;
    // Of the address nothing but its parts: a caller's object may hold more.
    const { namespace, name, provider, version } = address;
    const own = { address: { namespace, name, provider, version }, owner, description, source, publishedAt, archive };
    return { ...own, ...fromParts(keys[0] ?? '', values) };
  });
}

/** See `ModuleCatalogue.archive`. */
export async function openArchive(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  signal?: AbortSignal,
): Promise<ModuleArchive | undefined> {
  return whileThere(context, address, signal, async ({ record }) => {
    const blob = await context.blobs.open(record.archive.digest, { signal });
    return blob === undefined ? undefined : { ...record.archive, content: blob.content };
  });
}

/**
 * Reads what belongs to a version. Where a part is missing the version is looked for again: deleted meanwhile, there is
 * none; still there, the storage has lost something.
 */
async function whileThere<T>(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  signal: AbortSignal | undefined,
  read: (found: FoundVersion) => Promise<T | undefined>,
): Promise<T | undefined> {
  let found = await readVersion(context, address, signal);
  while (found !== undefined) {
    const result = await read(found);
    if (result !== undefined) return result;
    const again = await readVersion(context, address, signal);
    if (again?.version === found.version) {
      throw new ProviderError('unavailable', `What belongs to ${context.keys.version(address)} is missing.`);
    }
    found = again;
  }
  return undefined;
}
