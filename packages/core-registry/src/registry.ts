/**
 * The public face of the registry: what `createRegistry` returns. Transports and the page build on it. Every method rejects
 * with `RegistryError` and nothing else.
 */
import type {
  ModuleAddress,
  ModuleArchive,
  ModulePublication,
  ModuleVersionAddress,
  ModuleVersionDetails,
} from '@postern/ports';
import type { DeprecationInput, InputSource, RangeInput, RevocationInput, VersionCommand } from './input/input.js';
import type { OPERATIONS } from './operations.js';
import type {
  Access,
  ChangeOutcome,
  CommandOutcome,
  DeprecateOutcome,
  DownloadGrant,
  HistoryPage,
  HistoryQuery,
  ModuleList,
  ModuleListing,
  ModuleOverview,
  ModuleQuery,
  ModuleVersionView,
  RangeOutcome,
  RegistryCall,
  VersionList,
} from './results.js';
import type { VersionStatus } from './version-status.js';

export interface Registry {
  /** The catalogue of operations, by id: for routes and documents. */
  readonly operations: typeof OPERATIONS;

  /**
   * Opens a session for one request. Nothing is read yet: the first operation identifies the caller, and all operations of
   * the session share that answer and the caller's rights. Keep it no longer than the request.
   */
  open(call: RegistryCall): RegistrySession;

  /**
   * The archive for a download that the transport has verified already, by the signature of its address. Checks again
   * whether the version was revoked meanwhile. Needs no token. Of a deprecated version it tells the folders of submodules, for the check
   * block that warns (OVERLAY-1).
   *
   * @throws RegistryError `not_found`, `download_revoked`.
   */
  openArchive(
    call: Omit<RegistryCall, 'token'>,
    version: ModuleVersionAddress,
  ): Promise<DownloadGrant & { readonly archive: ModuleArchive; readonly submodules: readonly string[] }>;

  /**
   * Feeds the audit sink with events that were committed and not recorded, of this process and of dead ones (AUDIT-6). For a
   * timer of the host, about once a minute, unless it passed an outbox of its own as `audit`.
   *
   * @throws StorageError where the storage cannot be read.
   */
  feedAudit(): Promise<void>;

  /** Before the storage is closed: feeds the audit sink with what waits, for at most five seconds. */
  close(): Promise<void>;
}

/**
 * One request of one caller. `change` to `delete` need the right to `manage`, all others to `read`.
 *
 * Common to all, in this order: `unauthorized` where the token is missing or invalid; `not_found` where the version (or
 * module) is missing, its address is malformed, or the caller lacks the right: the same error, after the same look-ups. A
 * caller who may read but not manage gets `not_found` from a command too (REG-8). Only then is input read and checked:
 * `input_invalid` with the JSON pointer of the member, or with the reader's error as its cause. `provider_unavailable`,
 * `storage_unavailable`, `storage_contended`, `aborted`: nothing was changed. `storage_outcome_unknown`: the change may
 * have happened; repeating the call is safe. `audit_unavailable`: no event was recorded; a change that was made stands.
 */
export interface RegistrySession {
  /** Who this is and what they may do in a namespace. Does not reveal whether the namespace exists. */
  access(namespace: string): Promise<Access>;

  /** Any of the four commands: for a transport whose request body names the command. */
  change(version: ModuleVersionAddress, command: InputSource<VersionCommand>): Promise<ChangeOutcome>;
  /**
   * Deprecates, or replaces the notice of a version already deprecated (REG-2): members left out are removed. A revoked
   * version stays revoked. The same input again changes nothing.
   *
   * @throws RegistryError `input_invalid` pointing into the input: `/reason`, `/link`, `/replacement/version` …
   */
  deprecate(version: ModuleVersionAddress, input: InputSource<DeprecationInput>): Promise<DeprecateOutcome>;
  /**
   * Reinstates fully; an active version stays active (REG-2).
   *
   * @throws RegistryError `reinstate_revoked` (conflict): unrevoke a revoked version first.
   */
  reinstate(version: ModuleVersionAddress): Promise<CommandOutcome>;
  /**
   * Blocks new downloads. A version already revoked gets the new notice.
   *
   * @throws RegistryError `revoke_not_deprecated` (conflict): only a deprecated version can be revoked.
   */
  revoke(version: ModuleVersionAddress, input: InputSource<RevocationInput>): Promise<CommandOutcome>;
  /** Back to deprecated, with the deprecation as it was; a version that is not revoked stays as it is. */
  unrevoke(version: ModuleVersionAddress): Promise<CommandOutcome>;
  /**
   * Deprecates every version that a range matches, each by its own commit, oldest first; stops at the first failure and
   * reports how far it got. Throws where nothing was changed.
   *
   * @throws RegistryError `range_too_wide` where it matches more than `MAX_RANGE_VERSIONS`.
   */
  deprecateRange(module: ModuleAddress, input: InputSource<RangeInput>): Promise<RangeOutcome>;

  /**
   * Adds a version; the caller becomes its owner. The content is read only once their right is known.
   *
   * @throws RegistryError `not_found` without a publisher too; `version_exists` and `quota_exceeded` (conflict), `archive_too_large`,
   *   `archive_refused` with the publisher's own code in `details.problem`.
   */
  publish(
    version: ModuleVersionAddress,
    publication: InputSource<Omit<ModulePublication, 'owner' | 'version'>>,
  ): Promise<ModuleVersionDetails>;
  /** Removes a version and clears its status; its history stays. */
  delete(version: ModuleVersionAddress): Promise<void>;

  /** Modules of the namespaces that the caller may read. An unknown namespace has none. */
  listModules(query?: ModuleQuery): Promise<ModuleList>;
  /** The latest version of each module of this name, one for each provider. @throws RegistryError `not_found` */
  latestByProvider(module: Pick<ModuleAddress, 'namespace' | 'name'>): Promise<readonly ModuleListing[]>;
  /** The latest version with its details, and the list of all versions. */
  latest(module: ModuleAddress): Promise<ModuleOverview>;
  listVersions(module: ModuleAddress): Promise<VersionList>;
  readVersion(version: ModuleVersionAddress): Promise<ModuleVersionView>;
  /** As `readVersion` and `history` together, by one look-up. */
  readVersionWithHistory(
    version: ModuleVersionAddress,
    query?: HistoryQuery,
  ): Promise<ModuleVersionView & { readonly history: HistoryPage }>;
  /** Whether a version is deprecated or revoked, and why. */
  status(version: ModuleVersionAddress): Promise<VersionStatus>;
  /**
   * Up to `MAX_STATUSES` versions, one answer each in order; undefined for one that is missing or that the caller may not
   * read.
   *
   * @throws RegistryError `input_invalid` where there are more.
   */
  statuses(versions: InputSource<readonly ModuleVersionAddress[]>): Promise<readonly (VersionStatus | undefined)[]>;
  history(version: ModuleVersionAddress, query?: HistoryQuery): Promise<HistoryPage>;
  /**
   * Whether this caller may download this version now, and what the archive is: before a signed address is issued.
   *
   * @throws RegistryError `download_revoked` (forbidden), with `details.reason` and `details.link`.
   */
  authorizeDownload(version: ModuleVersionAddress): Promise<DownloadGrant>;
}
