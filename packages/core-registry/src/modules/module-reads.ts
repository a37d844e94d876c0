/** Reads of modules: lists, the latest version, all versions (MODULE-2; the registry protocol, MODULE-6). */
import { lowerAscii } from '@postern/kernel';
import type {
  CallOptions,
  ListedModule,
  ModuleAddress,
  ModuleCatalogue,
  ModuleVersionDetails,
  ModuleVersionFacts,
} from '@postern/ports';
import { isAddressPart, isVersionAddress, moduleText } from '../addresses/address.js';
import type { RegistryContext } from '../context.js';
import { moduleQuery, parseInput } from '../input/schemas.js';
import type { ModuleListing, ModuleOverview } from '../results.js';
import { type Identified, notFound, type Operations } from '../session.js';
import { loadVersionList } from './version-list.js';

export function createModuleReads(
  context: RegistryContext,
): Operations<'access' | 'listModules' | 'latestByProvider' | 'latest' | 'listVersions'> {
  const { store } = context;
  const { authorizer, catalogue } = context.ports;

  /** The latest version with its details; undefined where the module, or that version, was deleted meanwhile. */
  async function readLatest(module: ModuleAddress, options: CallOptions): Promise<ModuleOverview | undefined> {
    const list = await loadVersionList(context, module, options);
    if (list === undefined) return undefined;
    const { status } = list.latest;
    const details = await catalogue.details(status.address, options);
    return details === undefined ? undefined : { status, details, list };
  }

  /** Namespaces to list. One that is unknown and one that the caller may not read both yield nothing. */
  async function namespacesFor(
    { caller, mayRead }: Identified,
    namespace: string | undefined,
    options: CallOptions,
  ): Promise<readonly string[]> {
    if (namespace === undefined) return authorizer.readableNamespaces(caller, options);
    return isAddressPart(namespace) && (await mayRead(namespace)) ? [namespace] : [];
  }

  /**
   * The latest version of each. The newest that the catalogue names is the latest unless it is revoked (MODULE-8); only then, or where
   * it names none, the versions are read.
   */
  async function listingsOf(modules: readonly ListedModule[], options: CallOptions): Promise<readonly ModuleListing[]> {
    const named = modules.flatMap(({ newest }) => (newest && isVersionAddress(newest.address) ? [newest] : []));
    // After the catalogue, as for a single version.
    const statuses = await store.readMany(
      named.map(({ address }) => address),
      options,
    );
    const listings = new Map(named.map((details, at) => [details, statuses[at]]));
    const latest = async ({ newest, ...module }: ListedModule): Promise<ModuleListing | undefined> => {
      const status = newest && listings.get(newest);
      if (newest !== undefined && status !== undefined && status.revocation === null)
        return { status, details: newest };
      const found = await readLatest(module, options);
      return found && { status: found.status, details: factsOf(found.details) };
    };
    return (await Promise.all(modules.map(latest))).filter((listing) => listing !== undefined);
  }

  return {
    access: (session, namespace) =>
      session.run('registry.access', { namespace }, async ({ caller, mayRead, mayManage }) => {
        const [canRead, canManage] = await Promise.all([mayRead(namespace), mayManage(namespace)]);
        return { caller: caller.name, canRead, canManage };
      }),

    listModules: (session, query = {}) =>
      session.run('registry.module.list', { namespace: query.namespace }, async (request) => {
        const { namespace, offset, limit, ...filter } = parseInput(moduleQuery, query);
        const namespaces = await namespacesFor(request, namespace, session.options);
        // One more than requested shows whether there is a next page.
        const page =
          catalogue.search !== undefined && namespaces.length > 0 && filter.words.trim() !== ''
            ? await catalogue.search({ ...filter, namespaces, offset, limit: limit + 1 }, session.options)
            : await skipAndTake(
                findModules(catalogue, namespaces, { ...filter, most: offset + limit + 1 }, session.options),
                offset,
                limit + 1,
              );
        const nextOffset = page.length > limit ? offset + limit : undefined;
        return { modules: await listingsOf(page.slice(0, limit), session.options), offset, limit, nextOffset };
      }),

    latestByProvider: (session, { namespace, name }) =>
      session.run('registry.module.latest-by-provider', { namespace, module: name }, async ({ annotate, mayRead }) => {
        if (!isAddressPart(namespace) || !isAddressPart(name)) throw notFound(annotate, 'address_malformed');
        const lookUp = async () => {
          const modules: ListedModule[] = [];
          const filter = { words: `${namespace}/${name}/` };
          for await (const module of findModules(catalogue, [namespace], filter, session.options)) {
            if (module.name === name) modules.push(module);
          }
          return listingsOf(modules, session.options);
        };
        const [allowed, views] = await Promise.all([mayRead(namespace), lookUp()]);
        if (!allowed) throw notFound(annotate, 'not_allowed');
        if (views.length === 0) throw notFound(annotate, 'missing');
        return views;
      }),

    latest: (session, module) =>
      session.onModule(
        'registry.module.latest',
        module,
        (address) => readLatest(address, session.options),
        async ({ found }) => found,
      ),

    listVersions: (session, module) =>
      session.onModule(
        'registry.module.versions',
        module,
        (address) => loadVersionList(context, address, session.options),
        async ({ found }) => found,
      ),
  };
}

function factsOf({ address, owner, description, source, publishedAt }: ModuleVersionDetails): ModuleVersionFacts {
  return { address, owner, description, source, publishedAt };
}

interface ModuleFilter {
  readonly provider?: string | undefined;
  readonly words: string;
  /** How many are wanted where nothing is left out. */
  readonly most?: number | undefined;
}

const PAGE = 200;

/** Further words of a search are ignored. */
const MAX_WORDS = 8;

/** Modules of these namespaces that match, in order of address; stops when its consumer does. */
async function* findModules(
  catalogue: ModuleCatalogue,
  namespaces: readonly string[],
  { provider, words, most = PAGE }: ModuleFilter,
  options: CallOptions,
): AsyncGenerator<ListedModule> {
  const wanted = lowerAscii(words).split(/\s+/).slice(0, MAX_WORDS);
  const size = { limit: provider === undefined && words === '' ? Math.min(PAGE, most) : PAGE };
  for (const namespace of namespaces) {
    let after: string | undefined;
    do {
      const found = await catalogue.listModules({ namespace, after, ...size }, options);
      for (const module of found.modules) {
        if (provider !== undefined && module.provider !== provider) continue;
        const text = lowerAscii(moduleText(module));
        if (wanted.every((word) => text.includes(word))) yield module;
      }
      after = found.next;
    } while (after !== undefined);
  }
}

async function skipAndTake<T>(items: AsyncIterable<T>, skipped: number, limit: number): Promise<readonly T[]> {
  const taken: T[] = [];
  let at = 0;
  for await (const item of items) {
    at += 1;
    if (at > skipped) taken.push(item);
    if (taken.length === limit) break;
  }
  return taken;
}
