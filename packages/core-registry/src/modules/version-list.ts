/** The versions of a module with their states, newest first, and which of them is the latest (MODULE-2, PAGE-4). */
import type { CallOptions, ModuleAddress, ModuleVersionSummary } from '@postern/ports';
import type { SemVer } from 'semver';
import { versionAddress } from '../addresses/address.js';
import type { RegistryContext } from '../context.js';
import type { VersionList, VersionListing } from '../results.js';
import { NO_STATUS, toStatus } from '../store/status-store.js';
import { compareVersions, isPrerelease, parseVersion } from '../versions/version.js';
import type { KnownModule } from './module-statuses.js';

/** Undefined where the module does not exist. */
export async function loadVersionList(
  { ports, readModuleStatuses }: RegistryContext,
  module: ModuleAddress,
  options: CallOptions,
): Promise<VersionList | undefined> {
  // In this order: a version that is deleted and published again in between must not show the notice of the former one.
  const summaries = await ports.catalogue.versions(module, options);
  const known = await readModuleStatuses(module, options);
  return makeVersionList(module, summaries, known);
}

interface Ordered {
  readonly listing: VersionListing;
  readonly order: SemVer;
}

/**
 * The list, or the one made before where neither the catalogue nor a state has changed since. Undefined where the catalogue
 * has no version of the module. Versions that are not semantic versions are left out: no client could ask for them.
 */
function makeVersionList(
  module: ModuleAddress,
  summaries: readonly ModuleVersionSummary[],
  known: KnownModule,
): VersionList | undefined {
  if (known.made !== undefined && sameItems(known.made.summaries, summaries)) return known.made.list;
  const ordered = summaries
    .flatMap((summary): Ordered[] => {
      const order = parseVersion(summary.version);
      if (order === undefined) return [];
      const status =
        known.statuses.get(summary.version)?.status ?? toStatus(versionAddress(module, summary.version), NO_STATUS);
      return [{ listing: Object.freeze({ summary, status }), order }];
    })
    .sort((left, right) => compareVersions(right.order, left.order));
  const latest = newest(ordered, ({ status }) => status.state !== 'revoked') ?? newest(ordered, () => true);
  if (latest === undefined) return undefined;
  const { namespace, name, provider } = module;
  const list: VersionList = Object.freeze({
    module: Object.freeze({ namespace, name, provider }),
    versions: Object.freeze(ordered.map(({ listing }) => listing)),
    latest,
    latestActive: newest(ordered, ({ status }) => status.state === 'active'),
  });
  known.made = { summaries, list };
  return list;
}

/** The newest release that qualifies, or else the newest prerelease that does (MODULE-8). */
function newest(
  ordered: readonly Ordered[],
  qualifies: (listing: VersionListing) => boolean,
): VersionListing | undefined {
  const qualified = ordered.filter(({ listing }) => qualifies(listing));
  return (qualified.find(({ order }) => !isPrerelease(order)) ?? qualified[0])?.listing;
}

/** A catalogue may answer the same summaries in another array. */
function sameItems<T>(left: readonly T[], right: readonly T[]): boolean {
  return left === right || (left.length === right.length && left.every((item, at) => item === right[at]));
}
