/**
 * The public face of the registry: what `createRegistry` returns. Transports, the page and the run's check build on it.
 * Every method rejects with `RegistryError` and nothing else.
 */
import type {
  ModuleAddress,
  ModuleArchive,
  ModulePublication,
  ModuleVersionAddress,
  ModuleVersionDetails,
} from '@postern/ports';
import type { DeprecationInput, RangeInput, RevocationInput } from './input/input.js';
import type { RegistryOperation } from './operations.js';
import type {
  Access,
  CommandOutcome,
  DeprecateOutcome,
  DownloadGrant,
  HistoryPage,
  HistoryQuery,
  ModuleList,
  ModuleQuery,
  ModuleVersionView,
  RangeOutcome,
  RegistryCall,
  VersionList,
} from './results.js';
import type { VersionStatus } from './version-status.js';

/**
 * The registry. The methods from `deprecate` to `delete` need the right to `manage`, all others to `read`.
 *
 * Common to all, in this order: `unauthorized` where the token is missing or wrong; `not_found` where the version (or
 * module) is not there, its address is malformed, or the caller has no right to this action: the same error, after the
 * same look-ups. A caller who may read but not manage gets `not_found` from a command too (REG-8). Only then is input
 * looked at: `input_invalid` with the JSON pointer of the member. Could not find out: `provider_unavailable`,
 * `storage_unavailable`, `storage_contended`, `aborted`: nothing was changed. `storage_outcome_unknown`: the change may
 * stand; repeating the call is safe. `audit_unavailable`: no event was recorded; a change that was made stands, and its
 * history entry with it.
 */
export interface Registry {
  /** The catalogue of operations, each once: for routes and documents. */
  readonly operations: readonly RegistryOperation[];

  /** Who this is and what they may do in a namespace. Does not tell whether the namespace exists. */
  access(call: RegistryCall, namespace: string): Promise<Access>;

  /**
   * Deprecates, or replaces the notice of a version already deprecated (REG-2): what is not sent is gone. A
   * revoked version stays revoked. The same input again changes nothing.
   *
   * @throws RegistryError `input_invalid` pointing into the input: `/reason`, `/link`, `/replacement/version` …
   */
  deprecate(call: RegistryCall, version: ModuleVersionAddress, input: DeprecationInput): Promise<DeprecateOutcome>;
  /**
   * Reinstates fully; a version that is active stays so (REG-2).
   *
   * @throws RegistryError `reinstate_revoked` (409): a revoked version is first unrevoked.
   */
  reinstate(call: RegistryCall, version: ModuleVersionAddress): Promise<CommandOutcome>;
  /**
   * Blocks new downloads. A version already revoked gets the new notice.
   *
   * @throws RegistryError `revoke_not_deprecated` (409): only a deprecated version is revoked.
   */
  revoke(call: RegistryCall, version: ModuleVersionAddress, input: RevocationInput): Promise<CommandOutcome>;
  /** Back to deprecated, with the deprecation as it was; a version that is not revoked stays as it is. */
  unrevoke(call: RegistryCall, version: ModuleVersionAddress): Promise<CommandOutcome>;
  /**
   * Deprecates every version that a range names, each by its own commit, oldest first; stops at the first failure and
   * tells how far it got. Throws where nothing was changed.
   *
   * @throws RegistryError `range_too_wide` where it names more than `MAX_RANGE_VERSIONS`.
   */
  deprecateRange(call: RegistryCall, module: ModuleAddress, input: RangeInput): Promise<RangeOutcome>;

  /**
   * Adds a version; who calls becomes its owner. The content is read only once it is known that they may.
   *
   * @throws RegistryError `not_found` without a publisher too; `version_exists` (409), `archive_too_large` (413),
   *   `archive_refused` (422) with the publisher's own code in `details.problem`.
   */
  publish(call: RegistryCall, publication: Omit<ModulePublication, 'owner'>): Promise<ModuleVersionDetails>;
  /** Removes a version and clears its status; its history stays. */
  delete(call: RegistryCall, version: ModuleVersionAddress): Promise<void>;

  /** Modules of the namespaces that the caller may read, in order of address. An unknown namespace has none. */
  listModules(call: RegistryCall, query?: ModuleQuery): Promise<ModuleList>;
  /** The latest version of each module of this name, one for each provider. @throws RegistryError `not_found` */
  latestByProvider(
    call: RegistryCall,
    module: Pick<ModuleAddress, 'namespace' | 'name'>,
  ): Promise<readonly ModuleVersionView[]>;
  latest(call: RegistryCall, module: ModuleAddress): Promise<ModuleVersionView>;
  listVersions(call: RegistryCall, module: ModuleAddress): Promise<VersionList>;
  readVersion(call: RegistryCall, version: ModuleVersionAddress): Promise<ModuleVersionView>;
  /** Deprecated, revoked or neither: one question, one answer. */
  status(call: RegistryCall, version: ModuleVersionAddress): Promise<VersionStatus>;
  /**
   * Of up to `MAX_STATUSES` versions, one answer each in order; undefined for one that is not there or not the caller's
   * to read.
   *
   * @throws RegistryError `input_invalid` where there are more.
   */
  statuses(
    call: RegistryCall,
    versions: readonly ModuleVersionAddress[],
  ): Promise<readonly (VersionStatus | undefined)[]>;
  history(call: RegistryCall, version: ModuleVersionAddress, query?: HistoryQuery): Promise<HistoryPage>;
  /**
   * Whether this caller may download this version now, and what the archive is: before a signed address is handed out.
   *
   * @throws RegistryError `download_revoked` (403), with `details.reason` and `details.link`.
   */
  authorizeDownload(call: RegistryCall, version: ModuleVersionAddress): Promise<DownloadGrant>;
  /**
   * The archive for somebody whom the transport has verified already, by the signature of an address. Asks again whether
   * it was revoked meanwhile. No token, no audit event of success.
   *
   * @throws RegistryError `not_found`, `download_revoked`.
   */
  openArchive(
    call: Omit<RegistryCall, 'token'>,
    version: ModuleVersionAddress,
  ): Promise<DownloadGrant & { readonly archive: ModuleArchive }>;
}
