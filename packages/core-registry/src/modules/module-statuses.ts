/**
 * The states of all versions of a module, for lists: read at every `init` of everybody, changed once a month. So what was
 * read is kept, and each use asks storage for one small record, the module's mark, which is rewritten in the commit of every
 * transition: one read where nothing changed, and every commit acknowledged before the call is seen, whichever node made it.
 */
import type { CallOptions, ModuleAddress, ModuleVersionSummary, Version } from '@postern/ports';
import { moduleText } from '../addresses/address.js';
import type { VersionList } from '../results.js';
import type { ModuleStatuses, StatusStore } from '../store/status-store.js';

/** What is known of a module while its mark is the same. */
export interface KnownModule {
  readonly mark: Version | undefined;
  /** Of those versions that ever had a transition. */
  readonly statuses: ModuleStatuses;
  /** The list that was made of these and of the catalogue's answer then. */
  made: { readonly summaries: readonly ModuleVersionSummary[]; readonly list: VersionList } | undefined;
}

export type ReadModuleStatuses = (module: ModuleAddress, options?: CallOptions) => Promise<KnownModule>;

const NO_STATUSES: ModuleStatuses = new Map();

/** A module with no transition ever counts as one status, so that these are bounded too. */
const MAX_KEPT_STATUSES = 20_000;

/** @param maxKept statuses kept in memory, of all modules together; beyond it the module asked for longest ago goes. */
export function createModuleStatuses(store: StatusStore, maxKept = MAX_KEPT_STATUSES): ReadModuleStatuses {
  const kept = new Map<string, KnownModule>();
  let size = 0;
  const weight = ({ statuses }: KnownModule) => statuses.size + 1;

  function forget(key: string): void {
    const known = kept.get(key);
    if (known === undefined) return;
    size -= weight(known);
    kept.delete(key);
  }

  function keep(key: string, known: KnownModule): void {
    forget(key);
    kept.set(key, known);
    size += weight(known);
    for (const oldest of kept.keys()) {
      if (size <= maxKept) break;
      forget(oldest);
    }
  }

  return async (module, options) => {
    const key = moduleText(module);
    // Before the statuses: those read later can only be newer than the mark, and then it differs at the next call.
    const mark = await store.readMark(module, options);
    const known = kept.get(key);
    if (known !== undefined && known.mark === mark) {
      keep(key, known);
      return known;
    }
    const before = known?.statuses ?? NO_STATUSES;
    const statuses = mark === undefined ? NO_STATUSES : await store.readModule(module, before, options);
    const fresh: KnownModule = { mark, statuses, made: undefined };
    keep(key, fresh);
    return fresh;
  };
}
