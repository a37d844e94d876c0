/**
 * A check for machines. Members are only ever added within format version 1; a reader ignores those that it does not know.
 * Notices are spelled as registries answer them, diagnostics as the reference client prints them.
 */
import { formatInstant, noticeOf, terminalLine, type VersionDiagnostic } from '@postern/core-registry/notices';
import type { CheckedVersion, ModuleCheck, UnknownVersion } from '../module-check.js';
import type { Verdict } from './verdict.js';

/** One line feed at its end. Escapes what could act on a terminal or reorder a line: the document means the same. */
export function reportDocument(check: ModuleCheck, verdict: Verdict): string {
  const failing = new Set(verdict.failing);
  const document = {
    format_version: '1.0',
    exit_code: verdict.exitCode,
    versions: check.versions.map((version) => versionObject(version, failing.has(version))),
    unknown: [
      ...verdict.missing.map((each) => unknownObject(each, true)),
      ...verdict.skipped.map((each) => unknownObject(each, false)),
    ],
    registries: check.registries.map(({ host, isRequired, versions, answered }) => ({
      host,
      required: isRequired,
      versions,
      answered,
    })),
    other_module_calls: check.others,
    diagnostics: check.diagnostics.map(diagnosticObject),
  };
  const lines = JSON.stringify(document, null, 2).split('\n');
  // Outside of texts JSON has none of the characters that this escapes, and inside it escapes as JSON does.
  return `${lines.map(terminalLine).join('\n')}\n`;
}

function versionObject(
  { source, version, callers, state, deprecation, revocation, isPastSunset }: CheckedVersion,
  fails: boolean,
) {
  const { reasonClass = null, replacement = null, sunsetAt = null } = deprecation ?? {};
  return {
    source,
    version,
    callers,
    state,
    fails,
    deprecation: noticeOf(deprecation),
    deprecation_details:
      deprecation === null
        ? null
        : {
            reason_class: reasonClass,
            replacement,
            sunset_at: sunsetAt === null ? null : formatInstant(sunsetAt),
            past_sunset: isPastSunset,
          },
    revocation: noticeOf(revocation),
  };
}

function unknownObject({ source, version, callers, problem }: UnknownVersion, required: boolean) {
  return { source, version, callers, required, problem: { code: problem.code, message: problem.message } };
}

function diagnosticObject({ severity, summary, detail, extra }: VersionDiagnostic) {
  return { severity, summary, detail, extra };
}
