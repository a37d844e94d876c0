/**
 * The public face of the registry: what `createRegistry` returns. Transports, the page and the run's check build on it.
 * Every method rejects with `RegistryError` and nothing else.
 */
import type {
  CallOptions,
  EpochMillis,
  ModuleAddress,
  ModuleArchive,
  ModuleArchiveFacts,
  ModuleVersionAddress,
  ModuleVersionDetails,
  ModuleVersionState,
  ModuleVersionSummary,
} from '@postern/ports';
import type { DeprecationInput, RangeInput, RevocationInput } from './input/input.js';
import type { Command } from './lifecycle/transitions.js';
import type { RegistryOperation } from './operations.js';
import type { Deprecation, DeprecationExtras, Notice, VersionStatus } from './version-status.js';

/** Who calls, as far as the transport knows. */
export interface RegistryCall extends CallOptions {
  /** The bearer token, where one was sent. */
  readonly token: string | undefined;
  /** Ties answer, audit event and history together. */
  readonly requestId: string;
  /** The peer's IP address. */
  readonly peerAddress?: string | undefined;
}

/** What a caller may do in a namespace: for a page that shows a form only to those who may use it. */
export interface Access {
  /** The caller's name, as the history would tell it. */
  readonly caller: string;
  readonly canRead: boolean;
  readonly canManage: boolean;
}

/** What a command answers. */
export interface CommandOutcome {
  /** As it stands after the command. */
  readonly status: VersionStatus;
  /** False where the version already was as asked: nothing was written, the history has no entry of it. */
  readonly changed: boolean;
}

/** A deprecation that stands. */
export interface DeprecateOutcome extends CommandOutcome {
  readonly deprecation: Deprecation;
}

/** What a range command did, or would do, with one version. */
export interface RangeChange {
  readonly version: string;
  readonly from: ModuleVersionState;
  readonly to: ModuleVersionState;
  /**
   * `deprecate`: was active. `revise`: was deprecated or revoked already, its notice is replaced. `none`: already says
   * exactly this.
   */
  readonly action: 'deprecate' | 'revise' | 'none';
  /**
   * `planned`: a dry run. `done`: committed (or nothing to do). `failed`: `code` says why. `not-attempted`: an earlier
   * version failed. What a `failed` one stands at with code `storage_outcome_unknown` only a read can tell.
   */
  readonly outcome: 'planned' | 'done' | 'failed' | 'not-attempted';
  /** A `RegistryErrorCode`, with `failed`. */
  readonly code?: string | undefined;
}

export interface RangeOutcome {
  readonly module: ModuleAddress;
  /** As it was sent. */
  readonly range: string;
  readonly dryRun: boolean;
  /** True where no change is `failed` or `not-attempted`. */
  readonly complete: boolean;
  /** Every version that the range names, oldest first. */
  readonly changes: readonly RangeChange[];
}

/** One version in a list. */
export interface VersionListing {
  readonly summary: ModuleVersionSummary;
  readonly status: VersionStatus;
}

/**
 * All versions of a module with their states. Frozen. While nothing changed the very same object is answered, so that a
 * transport may keep what it made of it in a `WeakMap`.
 */
export interface VersionList {
  readonly module: ModuleAddress;
  /** Newest first by semantic version. At least one. */
  readonly versions: readonly VersionListing[];
  /** What somebody who names no version gets: the newest release that is not revoked, else the newest of what there is. */
  readonly latest: VersionListing;
  /** The newest release (or else prerelease) that is neither deprecated nor revoked; undefined where all are. */
  readonly latestActive: VersionListing | undefined;
}

/** One version with what it declares. */
export interface ModuleVersionView {
  readonly status: VersionStatus;
  readonly details: ModuleVersionDetails;
}

/** A page of modules, each by its latest version. */
export interface ModuleList {
  readonly modules: readonly ModuleVersionView[];
  readonly offset: number;
  readonly limit: number;
  /** Offset of the next page; undefined when this was the last. */
  readonly nextOffset: number | undefined;
}

export interface ModuleQuery {
  /** Only this organization's; every one that the caller may read where left out. */
  readonly namespace?: string | undefined;
  readonly provider?: string | undefined;
  /** Words that must all occur in `namespace/name/provider`, whatever their case. */
  readonly words?: string | undefined;
  /** Default 0. */
  readonly offset?: number | undefined;
  /** 1 to 100. Default 20. */
  readonly limit?: number | undefined;
}

/** A transition that was committed. Entries of a version are numbered from 1 without gaps and never change. */
export interface HistoryEntry extends Notice, DeprecationExtras {
  readonly seq: number;
  readonly time: EpochMillis;
  readonly actor: string;
  readonly requestId: string;
  readonly command: Command;
  readonly from: ModuleVersionState;
  /** The same as `from` where a notice was revised in place. */
  readonly to: ModuleVersionState;
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** How many entries there are in all. */
  readonly total: number;
  /** Pass as `before` for the page of older ones; undefined when this was the last. */
  readonly next: number | undefined;
}

export interface HistoryQuery {
  /** Only entries whose `seq` is below. Default: from the newest on. */
  readonly before?: number | undefined;
  /** 1 to 100. Default 20. */
  readonly limit?: number | undefined;
}

/** Leave to download an archive. */
export interface DownloadGrant {
  readonly status: VersionStatus;
  readonly archive: ModuleArchiveFacts;
}

/**
 * The registry. The methods from `deprecate` to `deprecateRange` need the right to `manage`, all others to `read`.
 *
 * Common to all, in this order: `unauthorized` where the token is missing or wrong; `not_found` where the version (or
 * module) is not there, its address is malformed, or the caller has no right to this action: the same error, after the
 * same look-ups. A caller who may read but not manage gets `not_found` from a command too (spec 7). Only then is input
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
   * Deprecates, or replaces the notice of a version already deprecated (decision G1): what is not sent is gone. A
   * revoked version stays revoked. The same input again changes nothing.
   *
   * @throws RegistryError `input_invalid` pointing into the input: `/reason`, `/link`, `/replacement/version` …
   */
  deprecate(call: RegistryCall, version: ModuleVersionAddress, input: DeprecationInput): Promise<DeprecateOutcome>;
  /**
   * Reinstates fully; a version that is active stays so (decision G1).
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
