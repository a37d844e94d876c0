/**
 * The warning of a run in HCP's words (CHECK-3). The second heading reads "an updating version": so
 * it is printed there, and pipelines match on it.
 */
import type { VersionDiagnostic } from './diagnose.js';

export const DEPRECATED_HEADING = 'Found the following deprecated module versions, consider using an updated version.';
export const DEPRECATED_LOG_HEADING =
  'Warning: Deprecated modules found, consider installing an updating version. The following are affected:';
export const REVOKED_STOPS_HEADING = 'Alert: Revoked modules found, this run will not continue.';
export const REVOKED_CONTINUES_HEADING =
  'This run will continue because it references a revoked module version that was previously used in this workspace.';

export interface RunTextOptions {
  /** ANSI colours. Default false. */
  readonly colour?: boolean | undefined;
  /** Whether a revoked version stops the run: chooses its heading. Default true. */
  readonly revokedStops?: boolean | undefined;
}

const YELLOW = '\u001b[1;33m';
const RED = '\u001b[1;31m';
const RESET = '\u001b[0m';

/** The warning with reasons, for people: empty where there is nothing to warn of, else ends with a line feed. */
export function runText(diagnostics: readonly VersionDiagnostic[], options: RunTextOptions = {}): string {
  const { colour = false, revokedStops = true } = options;
  const revoked = diagnostics.filter(({ kind }) => kind === 'revoked');
  const deprecated = diagnostics.filter(({ kind }) => kind === 'deprecated');
  const heading = (text: string, paint: string) => (colour ? `${paint}${text}${RESET}` : text);
  const lines: string[] = [];
  if (deprecated.length > 0) {
    lines.push(heading(DEPRECATED_HEADING, YELLOW), '', ...deprecated.flatMap(linesOf));
  }
  if (revoked.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push(heading(revokedStops ? REVOKED_STOPS_HEADING : REVOKED_CONTINUES_HEADING, RED), '');
    lines.push(...revoked.flatMap(linesOf));
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** The short form of the console log: one line for each deprecated version; empty without any. */
export function logText(diagnostics: readonly VersionDiagnostic[]): string {
  const deprecated = diagnostics.filter(({ kind }) => kind === 'deprecated');
  if (deprecated.length === 0) return '';
  const lines = deprecated.map(({ version, source }) => `Version ${version} of ${source}`);
  return [DEPRECATED_LOG_HEADING, ...lines].map((line) => `${line}\n`).join('');
}

/** Module, version and reason; below it link, advice and callers. */
function linesOf({ source, version, detail, advice, callers }: VersionDiagnostic): readonly string[] {
  const [first = '', ...more] = detail.split('\n').filter((line) => line !== '');
  return [
    `  ${source} ${version}${first === '' ? '' : `: ${first}`}`,
    ...[...more, ...advice].map((line) => `    ${line}`),
    ...(callers.length === 0 ? [] : [`    Used by ${callers.join(', ')}`]),
  ];
}
