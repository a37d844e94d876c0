/** Reads of modules: lists, the latest version, all versions (MODULE-2; the registry protocol, MODULE-6). */
import type { ModuleAddress, RegistryCaller } from '@postern/ports';
import { identify, notFound, optionsOf, requireAccess } from '../access.js';
import { isAddressPart, isModuleAddress } from '../addresses/address.js';
import type { Note } from '../audit/run-audited.js';
import { audited, type RegistryContext } from '../context.js';
import { parseInput } from '../input/parse-input.js';
import { moduleQuery } from '../input/schemas.js';
import type { OperationId } from '../operations.js';
import type { Registry } from '../registry.js';
import type { ModuleVersionView, RegistryCall } from '../results.js';
import { findModules } from './find-modules.js';
import { loadVersionList } from './load-version-list.js';

export function createModuleReads(
  context: RegistryContext,
): Pick<Registry, 'access' | 'listModules' | 'latestByProvider' | 'latest' | 'listVersions'> {
  const { ports, runAudited } = context;
  const { authorizer, catalogue } = ports;

  /** The latest version with what it declares; undefined where the module, or that version, is gone meanwhile. */
  async function viewLatest(module: ModuleAddress, call: RegistryCall): Promise<ModuleVersionView | undefined> {
    const list = await loadVersionList(context, module, call);
    if (list === undefined) return undefined;
    const { status } = list.latest;
    const details = await catalogue.details(status.address, optionsOf(call));
    return details === undefined ? undefined : { status, details };
  }

  /** One module, by `read`. */
  function readModule<T>(
    id: OperationId,
    call: RegistryCall,
    module: ModuleAddress,
    lookUp: () => Promise<T | undefined>,
  ): Promise<T> {
    const { namespace, name, provider } = module;
    return runAudited(audited(id, { namespace, module: name, provider }), call, async (note) => {
      const caller = await identify(authorizer, call, note);
      if (!isModuleAddress(module)) throw notFound(note, 'address_malformed');
      return requireAccess(authorizer, { caller, namespace, action: 'read' }, call, note, lookUp);
    });
  }

  /** Namespaces to walk: an unknown one and one that is not the caller's are both nothing. */
  async function namespacesFor(
    caller: RegistryCaller,
    namespace: string | undefined,
    call: RegistryCall,
  ): Promise<readonly string[]> {
    const options = optionsOf(call);
    if (namespace === undefined) return authorizer.readableNamespaces(caller, options);
    if (!isAddressPart(namespace)) return [];
    return (await authorizer.isAllowed({ caller, namespace, action: 'read' }, options)) ? [namespace] : [];
  }

  async function viewAll(modules: readonly ModuleAddress[], call: RegistryCall): Promise<readonly ModuleVersionView[]> {
    const views = await Promise.all(modules.map((module) => viewLatest(module, call)));
    return views.filter((view) => view !== undefined);
  }

  return {
    access: (call, namespace) =>
      runAudited(audited('registry.access', { namespace }), call, async (note: Note) => {
        const caller = await identify(authorizer, call, note);
        const options = optionsOf(call);
        const [canRead, canManage] = await Promise.all([
          authorizer.isAllowed({ caller, namespace, action: 'read' }, options),
          authorizer.isAllowed({ caller, namespace, action: 'manage' }, options),
        ]);
        return { caller: caller.name, canRead, canManage };
      }),

    listModules: (call, query = {}) =>
      runAudited(audited('registry.module.list', { namespace: query.namespace }), call, async (note) => {
        const caller = await identify(authorizer, call, note);
        const { namespace, offset, limit, ...filter } = parseInput(moduleQuery, query);
        const namespaces = await namespacesFor(caller, namespace, call);
        const page: ModuleAddress[] = [];
        let at = 0;
        for await (const module of findModules(catalogue, namespaces, filter, optionsOf(call))) {
          at += 1;
          if (at > offset) page.push(module);
          // One more than was asked for tells whether there is a next page.
          if (page.length > limit) break;
        }
        const nextOffset = page.length > limit ? offset + limit : undefined;
        return { modules: await viewAll(page.slice(0, limit), call), offset, limit, nextOffset };
      }),

    latestByProvider(call, { namespace, name }) {
      const operation = audited('registry.module.latest-by-provider', { namespace, module: name });
      return runAudited(operation, call, async (note) => {
        const caller = await identify(authorizer, call, note);
        if (!isAddressPart(namespace) || !isAddressPart(name)) throw notFound(note, 'address_malformed');
        const filter = { words: `${namespace}/${name}/` };
        return requireAccess(authorizer, { caller, namespace, action: 'read' }, call, note, async () => {
          const modules: ModuleAddress[] = [];
          for await (const module of findModules(catalogue, [namespace], filter, optionsOf(call))) {
            if (module.name === name) modules.push(module);
          }
          const views = await viewAll(modules, call);
          return views.length === 0 ? undefined : views;
        });
      });
    },

    latest: (call, module) => readModule('registry.module.latest', call, module, () => viewLatest(module, call)),

    listVersions: (call, module) =>
      readModule('registry.module.versions', call, module, () => loadVersionList(context, module, call)),
  };
}
