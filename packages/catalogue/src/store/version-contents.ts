/**
 * What belongs to a version beside its record: contents, cut into values that every storage takes and all in the commit that makes
 * the version visible, so that a reader never finds a part without the others; and the archive.
 */
import {
  type ModuleArchive,
  type ModuleVersionAddress,
  type ModuleVersionDetails,
  ProviderError,
} from '@postern/ports';
import { checkContents, declaresTooMuch, PART_UNITS } from '../module/contents-size.js';
import type { ReadModule } from '../module/read-module.js';
import {
  type CatalogueContext,
  type ContentsRecord,
  type FoundVersion,
  ofStorage,
  readVersion,
  type SummaryRecord,
} from './records.js';

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
      throw new ProviderError('unavailable', `what belongs to ${context.keys.version(address)} is missing`);
    }
    found = again;
  }
  return undefined;
}

/** A list of a thousand versions reads a thousand of them. */
const MAX_SUMMARY_UNITS = 64 * 1024;

/** @param text JSON of a `ContentsRecord`. @throws ModuleArchiveError `module_too_large`. */
export function toParts(text: string): readonly string[] {
  checkContents(text);
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PART_UNITS, text.length);
    // A character of two units stays whole: half of one is no text that a storage takes.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}

/** @throws ProviderError `unavailable` for parts that are not whole. */
export function fromParts(key: string, parts: readonly string[]): ContentsRecord {
  try {
    // Written by `toParts` under a key that names the archive's digest.
    const contents: ContentsRecord = JSON.parse(parts.join(''));
    return contents;
  } catch {
    throw new ProviderError('unavailable', `the records under ${key} are damaged`);
  }
}

/** What lists need of a version. @throws ModuleArchiveError `module_too_large`. */
export function toSummary(version: string, publishedAt: number, contents: ReadModule): SummaryRecord {
  const { root, submodules } = contents;
  const summary = {
    version,
    publishedAt,
    root: { dependencies: root.dependencies, providerDependencies: root.providerDependencies },
    submodules: submodules.map(({ path, dependencies, providerDependencies }) => ({
      path,
      dependencies,
      providerDependencies,
    })),
  };
  if (JSON.stringify(summary).length > MAX_SUMMARY_UNITS)
    throw declaresTooMuch('submodules, module calls and providers');
  return summary;
}
