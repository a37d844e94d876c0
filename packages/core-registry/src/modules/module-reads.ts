/** Reads of modules: lists, the latest version, all versions (MODULE-2; the registry protocol, MODULE-6). */
import { lowerAscii } from '@postern/kernel';
import type { CallOptions, ModuleAddress, ModuleCatalogue } from '@postern/ports';
import { isAddressPart, moduleText } from '../addresses/address.js';
import type { RegistryContext } from '../context.js';
import { moduleQuery, parseInput } from '../input/schemas.js';
import type { ModuleOverview, ModuleVersionView } from '../results.js';
import { type Identified, notFound, type Operations } from '../session.js';
import { loadVersionList } from './version-list.js';

export function createModuleReads(
  context: RegistryContext,
): Operations<'access' | 'listModules' | 'latestByProvider' | 'latest' | 'listVersions'> {
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

  async function viewAll(
    modules: readonly ModuleAddress[],
    options: CallOptions,
  ): Promise<readonly ModuleVersionView[]> {
    const found = await Promise.all(modules.map((module) => readLatest(module, options)));
    return found.flatMap((each) => (each === undefined ? [] : [{ status: each.status, details: each.details }]));
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
        const page: ModuleAddress[] = [];
        let at = 0;
        for await (const module of findModules(catalogue, namespaces, filter, session.options)) {
          at += 1;
          if (at > offset) page.push(module);
          // One more than requested shows whether there is a next page.
          if (page.length > limit) break;
        }
        const nextOffset = page.length > limit ? offset + limit : undefined;
        return { modules: await viewAll(page.slice(0, limit), session.options), offset, limit, nextOffset };
      }),

    latestByProvider: (session, { namespace, name }) =>
      session.run('registry.module.latest-by-provider', { namespace, module: name }, async ({ annotate, mayRead }) => {
        if (!isAddressPart(namespace) || !isAddressPart(name)) throw notFound(annotate, 'address_malformed');
        const lookUp = async () => {
          const modules: ModuleAddress[] = [];
          const filter = { words: `${namespace}/${name}/` };
          for await (const module of findModules(catalogue, [namespace], filter, session.options)) {
            if (module.name === name) modules.push(module);
          }
          return viewAll(modules, session.options);
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

interface ModuleFilter {
  readonly provider?: string | undefined;
  readonly words: string;
}

const PAGE = 200;

/** Further words of a search are ignored. */
const MAX_WORDS = 8;

/** Modules of these namespaces that match, in order of address; stops when its consumer does. */
async function* findModules(
  catalogue: ModuleCatalogue,
  namespaces: readonly string[],
  { provider, words }: ModuleFilter,
  options: CallOptions,
): AsyncGenerator<ModuleAddress> {
  const wanted = lowerAscii(words).split(/\s+/).slice(0, MAX_WORDS);
  for (const namespace of namespaces) {
    let after: string | undefined;
    do {
      const page = await catalogue.listModules({ namespace, after, limit: PAGE }, options);
      for (const module of page.modules) {
        if (provider !== undefined && module.provider !== provider) continue;
        const text = lowerAscii(moduleText(module));
        if (wanted.every((word) => text.includes(word))) yield module;
      }
      after = page.next;
    } while (after !== undefined);
  }
}
