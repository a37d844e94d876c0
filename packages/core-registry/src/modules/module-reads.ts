/** Reads of modules: lists, the latest version, all versions (MODULE-2; the registry protocol, MODULE-6). */
import { lowerAscii } from '@postern/kernel';
import type { CallOptions, ModuleAddress, ModuleCatalogue } from '@postern/ports';
import { isAddressPart, moduleText } from '../addresses/address.js';
import type { RegistryContext } from '../context.js';
import { parseInput } from '../input/input.js';
import { moduleQuery } from '../input/schemas.js';
import type { RegistrySession } from '../registry.js';
import type { ModuleOverview, ModuleVersionView } from '../results.js';
import { type Identified, notFound, type SessionRunner } from '../session.js';
import { loadVersionList } from './version-list.js';

export function createModuleReads(
  context: RegistryContext,
  session: SessionRunner,
): Pick<RegistrySession, 'access' | 'listModules' | 'latestByProvider' | 'latest' | 'listVersions'> {
  const { authorizer, catalogue } = context.ports;
  const { options } = session;

  /** The latest version with its details; undefined where the module, or that version, was deleted meanwhile. */
  async function readLatest(module: ModuleAddress): Promise<ModuleOverview | undefined> {
    const list = await loadVersionList(context, module, options);
    if (list === undefined) return undefined;
    const { status } = list.latest;
    const details = await catalogue.details(status.address, options);
    return details === undefined ? undefined : { status, details, list };
  }

  /** Namespaces to list. One that is unknown and one that the caller may not read both yield nothing. */
  async function namespacesFor({ caller, mayRead }: Identified, namespace?: string): Promise<readonly string[]> {
    if (namespace === undefined) return authorizer.readableNamespaces(caller, options);
    return isAddressPart(namespace) && (await mayRead(namespace)) ? [namespace] : [];
  }

  async function viewAll(modules: readonly ModuleAddress[]): Promise<readonly ModuleVersionView[]> {
    const found = await Promise.all(modules.map(readLatest));
    return found.flatMap((each) => (each === undefined ? [] : [{ status: each.status, details: each.details }]));
  }

  return {
    access: (namespace) =>
      session.run('registry.access', { namespace }, async ({ caller, mayRead, mayManage }) => {
        const [canRead, canManage] = await Promise.all([mayRead(namespace), mayManage(namespace)]);
        return { caller: caller.name, canRead, canManage };
      }),

    listModules: (query = {}) =>
      session.run('registry.module.list', { namespace: query.namespace }, async (request) => {
        const { namespace, offset, limit, ...filter } = parseInput(moduleQuery, query);
        const namespaces = await namespacesFor(request, namespace);
        const page: ModuleAddress[] = [];
        let at = 0;
        for await (const module of findModules(catalogue, namespaces, filter, options)) {
          at += 1;
          if (at > offset) page.push(module);
          // One more than requested shows whether there is a next page.
          if (page.length > limit) break;
        }
        const nextOffset = page.length > limit ? offset + limit : undefined;
        return { modules: await viewAll(page.slice(0, limit)), offset, limit, nextOffset };
      }),

    latestByProvider: ({ namespace, name }) =>
      session.run('registry.module.latest-by-provider', { namespace, module: name }, async ({ annotate, mayRead }) => {
        if (!isAddressPart(namespace) || !isAddressPart(name)) throw notFound(annotate, 'address_malformed');
        const lookUp = async () => {
          const modules: ModuleAddress[] = [];
          const filter = { words: `${namespace}/${name}/` };
          for await (const module of findModules(catalogue, [namespace], filter, options)) {
            if (module.name === name) modules.push(module);
          }
          return viewAll(modules);
        };
        const [allowed, views] = await Promise.all([mayRead(namespace), lookUp()]);
        if (!allowed) throw notFound(annotate, 'not_allowed');
        if (views.length === 0) throw notFound(annotate, 'missing');
        return views;
      }),

    latest: (module) => session.onModule('registry.module.latest', module, readLatest, async ({ found }) => found),

    listVersions: (module) =>
      session.onModule(
        'registry.module.versions',
        module,
        (address) => loadVersionList(context, address, options),
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
