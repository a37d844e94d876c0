/** Lists: modules of a namespace, and versions of a module. */
import type { ListedModule, ModuleAddress, ModulePage, ModuleVersionSummary, Version } from '@postern/ports';
import { factsOf } from './newest-version.js';
import { type CatalogueContext, decodeSummary, isModuleAddress, isNamespace, ofStorage, pagesOf } from './records.js';

/** See `ModuleCatalogue.listModules`. `after` is `name!provider`. */
export async function listModules(
  context: CatalogueContext,
  query: { readonly namespace: string; readonly after?: string | undefined; readonly limit: number },
  signal: AbortSignal | undefined,
): Promise<ModulePage> {
  const { namespace, after, limit } = query;
  // No page ends with a position like this: there is nothing after it.
  const isPosition = after === undefined || /^[\x20-\x7e]{0,200}$/.test(after);
  if (!isNamespace(namespace) || !isPosition) return { modules: [], next: undefined };
  const prefix = context.keys.modulesOf(namespace);
  const position = after === undefined ? undefined : prefix + after;
  const page = await ofStorage(() =>
    context.storage.list(prefix, { after: position, limit, values: true }, { signal }),
  );
  const modules = page.items.map(({ key, record }): ListedModule => {
    const [name = '', provider = ''] = key.slice(prefix.length).split('!');
    const module = { namespace, name, provider };
    return { ...module, newest: record && factsOf(module, key, record.value) };
  });
  return { modules, next: page.next?.slice(prefix.length) };
}

/** Reads of versions, with what was read last of the modules that are read most. */
export interface VersionLists {
  read(
    context: CatalogueContext,
    module: ModuleAddress,
    signal: AbortSignal | undefined,
  ): Promise<readonly ModuleVersionSummary[]>;
}

/** Summaries in memory, over all modules: some 300 bytes each. */
const MAX_REMEMBERED = 50_000;

/**
 * The record of a module changes in every commit that adds or removes a version of it. While it has the version that it had
 * before the list was read, the list is that list: one read instead of a page of a thousand.
 */
export function createVersionLists(): VersionLists {
  const lists = new Map<string, { readonly version: Version; readonly summaries: readonly ModuleVersionSummary[] }>();
  let remembered = 0;

  const forget = (key: string) => {
    remembered -= lists.get(key)?.summaries.length ?? 0;
    lists.delete(key);
  };

  const remember = (key: string, version: Version, summaries: readonly ModuleVersionSummary[]) => {
    forget(key);
    lists.set(key, { version, summaries });
    remembered += summaries.length;
    for (const oldest of lists.keys()) {
      if (remembered <= MAX_REMEMBERED) break;
      forget(oldest);
    }
  };

  return {
    read: async (context, module, signal) => {
      if (!isModuleAddress(module)) return [];
      const key = context.keys.module(module);
      const record = await ofStorage(() => context.storage.get(key, { signal }));
      if (record === undefined) {
        forget(key);
        return [];
      }
      const known = lists.get(key);
      if (known?.version === record.version) {
        // Last used, last forgotten.
        lists.delete(key);
        lists.set(key, known);
        return known.summaries;
      }
      const summaries = await readSummaries(context, module, signal);
      remember(key, record.version, summaries);
      return summaries;
    },
  };
}

async function readSummaries(
  context: CatalogueContext,
  module: ModuleAddress,
  signal: AbortSignal | undefined,
): Promise<readonly ModuleVersionSummary[]> {
  const summaries: ModuleVersionSummary[] = [];
  for await (const records of pagesOf(context, context.keys.summariesOf(module), { signal })) {
    for (const { key, value } of records) {
      const { version, publishedAt, root, submodules } = decodeSummary(key, value);
      summaries.push({ version, publishedAt, root, submodules });
    }
  }
  return Object.freeze(summaries);
}

/** The character after `!`, which no name begins with: a position behind every module of a namespace. */
const BEHIND = '"';

/** See `HostedCatalogue.namespaces`. */
export async function listNamespaces(
  { keys, storage }: CatalogueContext,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const namespaces: string[] = [];
  for (;;) {
    const last = namespaces.at(-1);
    const after = last === undefined ? undefined : `${keys.modules}${last}${BEHIND}`;
    const { items } = await ofStorage(() => storage.list(keys.modules, { after, limit: 1 }, { signal }));
    const [namespace] = items[0]?.key.slice(keys.modules.length).split('!') ?? [];
    if (namespace === undefined) return namespaces;
    namespaces.push(namespace);
  }
}
