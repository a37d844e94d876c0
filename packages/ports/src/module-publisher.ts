import type {
  ArchiveFormat,
  ModuleArchiveFacts,
  ModuleVersionAddress,
  ModuleVersionDetails,
} from './module-catalogue.js';
import type { CallOptions } from './shared.js';
import type { CommitResult, Operation, Storage } from './storage.js';

/** A module version to publish: its address, its archive, and what its registry page says of it. */
export interface ModulePublication {
  /** `version` is a semantic version without a leading `v`; build metadata is kept. */
  readonly version: ModuleVersionAddress;
  /** Who publishes it, as the registry knows them. */
  readonly owner: string;
  readonly description?: string | undefined;
  /** Where its source is kept: an absolute http or https URL. */
  readonly source?: string | undefined;
  /** What the publisher says it is. Without it the first bytes tell; with it they must agree. */
  readonly format?: ArchiveFormat | undefined;
  /** The archive's bytes, read once. Where a publication is refused, what was not read yet is not read. */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface PublisherCall extends CallOptions {
  /**
   * Sends the commit that makes a version visible, or gone; it may add operations behind those given, and sends them all or
   * none. Rejects as `Storage.commit`, or with an error to pass on. Default: `storage.commit`.
   *
   * @param operations at most 22: the registry adds up to three.
   */
  readonly commit?:
    | ((operations: readonly Operation[], archive: ModuleArchiveFacts) => Promise<CommitResult>)
    | undefined;
}

/** The side of a catalogue that is written: module versions are added whole, never changed, and deleted whole. */
export interface ModulePublisher {
  /**
   * Where one commit makes a version visible, or gone. A registry on the same storage sends that commit itself, together
   * with its audit event (AUDIT-6). Without it the registry stores an event before the call, and one after.
   */
  readonly storage?: Storage | undefined;
  /**
   * Adds a version. It is visible whole once this resolves, and not at all before. Publishing the same bytes under the
   * same version again answers what is there and changes nothing, its owner and description included.
   *
   * @throws ModuleArchiveError when the publication is refused: nothing of it is left.
   * @throws ProviderError `unavailable` when storage failed: try again. Where the commit's answer was lost, the version
   *   may be there, whole; publishing the same again tells.
   * @throws whatever `content` throws.
   */
  publish(publication: ModulePublication, options?: PublisherCall): Promise<ModuleVersionDetails>;
  /** Removes a version and, when no other version has the same bytes, its archive. False where there was none. */
  delete(version: ModuleVersionAddress, options?: PublisherCall): Promise<boolean>;
}

/**
 * Why a publication was refused:
 * `version_exists`: the version is there already with other bytes; `version_invalid`: not a semantic version;
 * `address_invalid`: a namespace, name or provider outside the naming rule;
 * `publication_invalid`: owner, description or source is too long or malformed;
 * `quota_exceeded`: the organization keeps as much as it may;
 * `archive_empty`: no bytes, or no file in it; `archive_too_large`: more bytes than allowed, packed;
 * `archive_unreadable`: neither `.tar.gz` nor `.zip`, not the format that was named, damaged, encrypted or contradictory;
 * `archive_entry_path`: a name that leaves the archive or that some system can't hold;
 * `archive_entry_link`: a symbolic or hard link; `archive_entry_kind`: a device, pipe or other special entry;
 * `archive_too_many_entries`; `archive_expands_too_much`: more bytes than allowed, unpacked, or a bomb's ratio;
 * `archive_duplicate_entry`: two entries with one name, letter case and Unicode form aside;
 * `module_invalid`: its configuration does not parse, or there is none; `module_too_large`: more of it than is kept.
 */
export type ModuleArchiveErrorCode =
  | 'version_exists'
  | 'version_invalid'
  | 'address_invalid'
  | 'publication_invalid'
  | 'quota_exceeded'
  | 'archive_empty'
  | 'archive_too_large'
  | 'archive_unreadable'
  | 'archive_entry_path'
  | 'archive_entry_link'
  | 'archive_entry_kind'
  | 'archive_too_many_entries'
  | 'archive_expands_too_much'
  | 'archive_duplicate_entry'
  | 'module_invalid'
  | 'module_too_large';

/** Where in an archive the trouble is. */
export interface ArchivePlace {
  /** Name of the entry, made printable and cut to 200 characters. */
  readonly path: string;
  /** From 1; undefined where it is about the entry as a whole. */
  readonly line: number | undefined;
}

/** A publication that was refused. The message is for the publisher: it says what is wrong and what to do. */
export class ModuleArchiveError extends Error {
  override readonly name = 'ModuleArchiveError';
  readonly code: ModuleArchiveErrorCode;
  readonly place: ArchivePlace | undefined;

  constructor(code: ModuleArchiveErrorCode, message: string, options: { place?: ArchivePlace; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.place = options.place;
  }
}

const codes: ReadonlySet<unknown> = new Set<ModuleArchiveErrorCode>([
  'version_exists',
  'version_invalid',
  'address_invalid',
  'publication_invalid',
  'quota_exceeded',
  'archive_empty',
  'archive_too_large',
  'archive_unreadable',
  'archive_entry_path',
  'archive_entry_link',
  'archive_entry_kind',
  'archive_too_many_entries',
  'archive_expands_too_much',
  'archive_duplicate_entry',
  'module_invalid',
  'module_too_large',
]);

/** Recognises a `ModuleArchiveError` by shape, also one made by another copy of this package. */
export function isModuleArchiveError(error: unknown): error is ModuleArchiveError {
  return error instanceof Error && error.name === 'ModuleArchiveError' && 'code' in error && codes.has(error.code);
}
