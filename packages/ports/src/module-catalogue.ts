import type { EpochMillis } from './clock.js';
import type { CallOptions } from './shared.js';

/** Which module: `acme/network/aws`. The parts hold letters, digits, `-` and `_`; they are compared as they are. */
export interface ModuleAddress {
  /** The organization that owns it. */
  readonly namespace: string;
  readonly name: string;
  /** The provider that it is for; the registry protocol calls it `system`. */
  readonly provider: string;
}

/** Which version of a module: a semantic version, as it was published (build metadata is kept). */
export interface ModuleVersionAddress extends ModuleAddress {
  readonly version: string;
}

export interface ModuleInput {
  readonly name: string;
  /** As written: `list(string)`; empty where none is. */
  readonly type: string;
  readonly description: string;
  /** JSON text of the default, or the expression as written; undefined if absent. */
  readonly default: string | undefined;
  readonly required: boolean;
  readonly sensitive: boolean;
}

export interface ModuleOutput {
  readonly name: string;
  readonly description: string;
  readonly sensitive: boolean;
}

/** Another module that a module calls. */
export interface ModuleDependency {
  readonly name: string;
  readonly source: string;
  /** Constraint as written; empty if absent. */
  readonly version: string;
}

/** A provider that a module requires. */
export interface ProviderDependency {
  readonly name: string;
  readonly namespace: string;
  /** `hashicorp/aws`, as written; empty where none is. */
  readonly source: string;
  /** Constraint as written; empty if absent. */
  readonly version: string;
}

export interface ModuleResource {
  readonly name: string;
  readonly type: string;
}

/** What a folder of a module declares: the root, a submodule or an example. */
export interface ModuleContents {
  /** From the root of the archive: empty, `modules/subnet`, `examples/basic`. */
  readonly path: string;
  readonly name: string;
  /** Markdown, as published: untrusted text. Empty if absent. */
  readonly readme: string;
  /** No configuration in it. */
  readonly empty: boolean;
  readonly inputs: readonly ModuleInput[];
  readonly outputs: readonly ModuleOutput[];
  readonly dependencies: readonly ModuleDependency[];
  readonly providerDependencies: readonly ProviderDependency[];
  readonly resources: readonly ModuleResource[];
}

/** What the list of versions needs of one: read for every version of a module at once, so kept small. */
export interface ModuleVersionSummary {
  readonly version: string;
  readonly publishedAt: EpochMillis;
  readonly root: Pick<ModuleContents, 'dependencies' | 'providerDependencies'>;
  readonly submodules: readonly Pick<ModuleContents, 'path' | 'dependencies' | 'providerDependencies'>[];
}

export interface ModuleVersionDetails {
  readonly address: ModuleVersionAddress;
  /** Who published it, as the registry knows them. */
  readonly owner: string;
  readonly description: string;
  /** Where its source is kept, a URL; empty where nobody said. */
  readonly source: string;
  readonly publishedAt: EpochMillis;
  readonly archive: ModuleArchiveFacts;
  readonly root: ModuleContents;
  readonly submodules: readonly ModuleContents[];
  readonly examples: readonly ModuleContents[];
}

export type ArchiveFormat = 'tar.gz' | 'zip';

export interface ModuleArchiveFacts {
  readonly format: ArchiveFormat;
  readonly sizeBytes: number;
  /** SHA-256 of its bytes, lower-case hex. */
  readonly digest: string;
}

export interface ModuleArchive extends ModuleArchiveFacts {
  /** Its bytes, once. Throws half-way where they no longer are what `digest` says. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** What a list shows of a version. */
export type ModuleVersionFacts = Pick<
  ModuleVersionDetails,
  'address' | 'owner' | 'description' | 'source' | 'publishedAt'
>;

/** One module in a list. */
export interface ListedModule extends ModuleAddress {
  /**
   * Of its newest release, or else of its newest prerelease, by semantic version. Without it the registry reads all versions of the
   * module to find out.
   */
  readonly newest?: ModuleVersionFacts | undefined;
}

export interface ModuleSearch {
  readonly namespaces: readonly string[];
  readonly provider?: string | undefined;
  /** As typed; each of the words must be found. */
  readonly words: string;
  readonly offset: number;
  readonly limit: number;
}

export interface ModulePage {
  readonly modules: readonly ListedModule[];
  /** Pass as `after` for the next page; undefined when this was the last. */
  readonly next: string | undefined;
}

/**
 * Which modules and versions there are. The registry asks it; it knows nothing of deprecation. "There is none" is a value.
 * Every method rejects with `ProviderError` `unavailable` where it could not find out.
 */
export interface ModuleCatalogue {
  /** Modules of a namespace in order of name, then provider. */
  listModules(
    query: { readonly namespace: string; readonly after?: string | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<ModulePage>;
  /**
   * Modules whose address, description, README or inputs have the words, best first. Without it the registry looks for the words in
   * the addresses of `listModules`.
   */
  search?(query: ModuleSearch, options?: CallOptions): Promise<readonly ListedModule[]>;
  /** All versions of a module, in any order; empty where there is no such module. */
  versions(module: ModuleAddress, options?: CallOptions): Promise<readonly ModuleVersionSummary[]>;
  /** Whether a version is there: cheaper than its details. */
  hasVersion(version: ModuleVersionAddress, options?: CallOptions): Promise<boolean>;
  details(version: ModuleVersionAddress, options?: CallOptions): Promise<ModuleVersionDetails | undefined>;
  archive(version: ModuleVersionAddress, options?: CallOptions): Promise<ModuleArchive | undefined>;
}
