/** What a check means for a pipeline (CHECK-4): could not find out is never clean, and a finding is a finding. */
import { isOutage } from '../ask/problem.js';
import type { CheckedVersion, ModuleCheck, UnknownVersion } from '../module-check.js';

/** `deprecated`: revoked versions too, for they are deprecated. `sunset`: deprecated, and its day has come. */
export const FAIL_ON = ['deprecated', 'revoked', 'sunset'] as const;
export type FailOn = (typeof FAIL_ON)[number];

export interface VerdictOptions {
  /** Default: nothing fails, everything is reported. */
  readonly failOn?: ReadonlySet<FailOn> | undefined;
  /** Registries that are down are only reported. One that denies access is not down. */
  readonly offlineOk?: boolean | undefined;
}

/** Exit codes of the command. 2 is invalid usage. */
export const EXIT = { clean: 0, finding: 1, misuse: 2, unknown: 3 } as const;

export interface Verdict {
  readonly exitCode: (typeof EXIT)['clean' | 'finding' | 'unknown'];
  /** Versions that fail the pipeline. */
  readonly failing: readonly CheckedVersion[];
  /** What must be known and is not. */
  readonly missing: readonly UnknownVersion[];
  /** What is not known and need not be. */
  readonly skipped: readonly UnknownVersion[];
}

/** A finding comes before what is not known: it stands, whatever the others turn out to be. */
export function verdictOf(check: ModuleCheck, { failOn = new Set(), offlineOk = false }: VerdictOptions = {}): Verdict {
  const failing = check.versions.filter((version) => fails(version, failOn));
  const isMissing = ({ isRequired, problem }: UnknownVersion) => isRequired && !(offlineOk && isOutage(problem));
  const missing = check.unknown.filter(isMissing);
  const skipped = check.unknown.filter((each) => !isMissing(each));
  const exitCode = failing.length > 0 ? EXIT.finding : missing.length > 0 ? EXIT.unknown : EXIT.clean;
  return { exitCode, failing, missing, skipped };
}

function fails({ state, isPastSunset }: CheckedVersion, failOn: ReadonlySet<FailOn>): boolean {
  if (state === 'active') return false;
  if (failOn.has('deprecated')) return true;
  return (state === 'revoked' && failOn.has('revoked')) || (isPastSunset && failOn.has('sunset'));
}
