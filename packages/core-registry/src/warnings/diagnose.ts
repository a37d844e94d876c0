/**
 * What there is to say about a version that somebody uses, as a diagnostic (CHECK-3): the one that the reference
 * client prints at install, in its words and its JSON form, and the like for a version that is revoked.
 */
import type { EpochMillis, ModuleVersionState } from '@postern/ports';
import type { DeprecationExtras, Notice } from '../version-status.js';
import { adviceOf } from './page-notice.js';
import { terminalLine, terminalLines } from './terminal-text.js';

/** A version in use with its status. Every text may come from a registry that is not trusted. */
export interface UsedVersion {
  /** As in the configuration: `registry.acme.example/acme/network/aws`. */
  readonly source: string;
  readonly version: string;
  /** Calls that use it: `module.net`. */
  readonly callers?: readonly string[] | undefined;
  readonly state: ModuleVersionState;
  readonly deprecation: (Notice & Partial<DeprecationExtras>) | null;
  readonly revocation: Notice | null;
}

export interface VersionDiagnostic {
  readonly kind: 'deprecated' | 'revoked';
  /** A deprecated version whose sunset has come. */
  readonly isPastSunset: boolean;
  readonly severity: 'warning' | 'error';
  /** Safe for a terminal. */
  readonly source: string;
  /** Safe for a terminal. */
  readonly version: string;
  /** Safe for a terminal. */
  readonly callers: readonly string[];
  /** One line, safe for a terminal. */
  readonly summary: string;
  /** Reason, blank line, link; empty where neither was given. Safe for a terminal, line by line. */
  readonly detail: string;
  /** Further sentences, safe for a terminal. */
  readonly advice: readonly string[];
  /** For machines, as the reference client writes it. Raw text: for JSON, not for a terminal. */
  readonly extra: {
    readonly type: 'module_version_deprecation' | 'module_version_revocation';
    readonly version: string;
    readonly source_name: string;
    readonly deprecation_message: string;
    readonly link: string;
  };
}

/** One for each version that is deprecated or revoked, in the order given; none for those that are active. */
export function diagnose(used: readonly UsedVersion[], now: EpochMillis): readonly VersionDiagnostic[] {
  return used.flatMap((each) => (each.state === 'active' ? [] : [diagnosticOf(each, now)]));
}

function diagnosticOf(used: UsedVersion, now: EpochMillis): VersionDiagnostic {
  const isRevoked = used.state === 'revoked';
  const notice = (isRevoked ? used.revocation : used.deprecation) ?? { reason: null, link: null };
  const [source, version] = [terminalLine(used.source), terminalLine(used.version)];
  const { sunsetAt } = used.deprecation ?? {};
  return {
    kind: isRevoked ? 'revoked' : 'deprecated',
    isPastSunset: sunsetAt !== undefined && sunsetAt !== null && sunsetAt <= now,
    severity: isRevoked ? 'error' : 'warning',
    source,
    version,
    callers: (used.callers ?? []).map(terminalLine),
    summary: `Module version ${version} of ${source} is ${isRevoked ? 'revoked' : 'deprecated'}`,
    detail: detailOf(notice),
    advice: adviceOf(used.deprecation ?? {}).map(terminalLine),
    extra: {
      type: isRevoked ? 'module_version_revocation' : 'module_version_deprecation',
      version: used.version,
      source_name: used.source,
      deprecation_message: notice.reason ?? '',
      link: notice.link ?? '',
    },
  };
}

function detailOf({ reason, link }: Notice): string {
  const parts = [
    ...(reason === null || reason === '' ? [] : [terminalLines(reason).join('\n')]),
    ...(link === null || link === '' ? [] : [`More information: ${terminalLine(link)}`]),
  ];
  return parts.join('\n\n');
}
