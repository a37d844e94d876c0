/** Calls and results of the registry: the contract between core and its transports. */
import type {
  CallOptions,
  EpochMillis,
  ModuleAddress,
  ModuleArchiveFacts,
  ModuleVersionDetails,
  ModuleVersionFacts,
  ModuleVersionState,
  ModuleVersionSummary,
} from '@postern/ports';
import type { Command } from './lifecycle/transitions.js';
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
  /** The caller's name, as recorded in the history. */
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

/** What one of the four commands answers. */
export type ChangeOutcome =
  | ({ readonly command: 'deprecate' } & DeprecateOutcome)
  | ({ readonly command: Exclude<Command, 'deprecate'> } & CommandOutcome);

/** What a range command did, or would do, with one version. */
export interface RangeChange {
  readonly version: string;
  readonly from: ModuleVersionState;
  readonly to: ModuleVersionState;
  /**
   * `deprecate`: was active. `revise`: was deprecated or revoked already, its notice is replaced. `none`: already says
   * exactly this.
   */
  readonly action: 'deprecate' | 'revise' | 'reinstate' | 'none';
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
  /** Used where no version is named: the newest release that is not revoked, else the newest version. */
  readonly latest: VersionListing;
  /** The newest release (or else prerelease) that is neither deprecated nor revoked; undefined where all are. */
  readonly latestActive: VersionListing | undefined;
}

/** One version with what it declares. */
export interface ModuleVersionView {
  readonly status: VersionStatus;
  readonly details: ModuleVersionDetails;
}

/** The latest version of a module with what it declares, and all its versions. */
export interface ModuleOverview extends ModuleVersionView {
  readonly list: VersionList;
}

/** One module in a list, by its latest version. */
export interface ModuleListing {
  readonly status: VersionStatus;
  readonly details: ModuleVersionFacts;
}

/** A page of modules: in order of address, or best first where words are searched for. */
export interface ModuleList {
  readonly modules: readonly ModuleListing[];
  readonly offset: number;
  readonly limit: number;
  /** Offset of the next page; undefined when this was the last. */
  readonly nextOffset: number | undefined;
}

export interface ModuleQuery {
  /** Only this organization's; every one that the caller may read where left out. */
  readonly namespace?: string | undefined;
  readonly provider?: string | undefined;
  /**
   * Words that must all be found, whatever their case: in `namespace/name/provider`, and where the catalogue searches more
   * (MODULE-11), there.
   */
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
  /** `delete`: the version was deleted, and its status with it. */
  readonly command: Command | 'delete';
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

/** Permission to download an archive. */
export interface DownloadGrant {
  readonly status: VersionStatus;
  readonly archive: ModuleArchiveFacts;
}
