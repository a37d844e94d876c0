/** Input and result of a check (CHECK-1): deprecated, revoked, active, and versions that could not be checked. */
import type { UsedVersion, VersionDiagnostic } from '@postern/core-registry/notices';
import type { Awaitable, Clock } from '@postern/ports';
import type { RegistryLocation } from './ask/discover.js';
import type { Problem } from './ask/problem.js';
import type { Fetch } from './ask/send.js';
import type { InstalledModule } from './installed/installed-module.js';

export interface CheckOptions {
  readonly installed: readonly InstalledModule[];
  readonly fetch: Fetch;
  /** The bearer token of a host (`registry.acme.example`, `127.0.0.1:8443`); undefined: asked without one. */
  readonly tokens: (host: string) => Awaitable<string | undefined>;
  readonly clock: Clock;
  /** Where to ask for a host, instead of its own service discovery. */
  readonly locations?: ReadonlyMap<string, RegistryLocation> | undefined;
  /** Hosts that must answer. Default: all but the public registries. Those of no interest are skipped if they don't. */
  readonly required?: ReadonlySet<string> | undefined;
  /** Ends the check: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Of the whole check: what is not answered by then is unknown, with the problem `timeout`. Default: no such limit. */
  readonly maxDurationMs?: number | undefined;
  /** Of one attempt; there are two of each. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Questions at a time. Default 4. */
  readonly concurrency?: number | undefined;
  /** Default `postern-registry-check`. */
  readonly userAgent?: string | undefined;
}

/** A version that its registry answered about. Texts are unescaped: not for a terminal. */
export interface CheckedVersion extends UsedVersion {
  readonly callers: readonly string[];
  readonly isPastSunset: boolean;
}

/** A version that could not be checked. Texts are unescaped. */
export interface UnknownVersion {
  readonly source: string;
  readonly version: string;
  readonly callers: readonly string[];
  readonly problem: Problem;
  /** False: of a host that does not have to answer. */
  readonly isRequired: boolean;
}

export interface AskedRegistry {
  readonly host: string;
  readonly isRequired: boolean;
  /** Distinct versions of modules in use. */
  readonly versions: number;
  /** How many of them it answered about. */
  readonly answered: number;
}

export interface ModuleCheck {
  readonly versions: readonly CheckedVersion[];
  readonly unknown: readonly UnknownVersion[];
  /** One for each deprecated or revoked version: safe for a terminal. */
  readonly diagnostics: readonly VersionDiagnostic[];
  readonly registries: readonly AskedRegistry[];
  /** Calls of modules that are of no registry: local, git, archives. */
  readonly others: number;
}
