/** A check for people: HCP's warning, how many versions were checked, and which could not be (CHECK-1). */
import { runText, terminalLine } from '@postern/core-registry/notices';
import type { ModuleCheck, UnknownVersion } from '../module-check.js';
import type { Verdict } from './verdict.js';

export interface ReportText {
  /** For the standard output: warnings and the count. */
  readonly out: string;
  /** For the standard error: what is not known. Empty where all is. */
  readonly problems: string;
}

/** Safe for a terminal, whatever the registries answered. */
export function reportText(
  check: ModuleCheck,
  verdict: Verdict,
  options: { readonly colour?: boolean } = {},
): ReportText {
  const revokedStops = verdict.failing.some(({ state }) => state === 'revoked');
  const warnings = runText(check.diagnostics, { colour: options.colour, revokedStops });
  const sections = [
    section(verdict.missing, 'Could not check whether these are deprecated or revoked:'),
    section(verdict.skipped, 'Skipped (optional registries did not respond):'),
  ];
  return {
    out: `${warnings}${warnings === '' ? '' : '\n'}${countText(check)}\n`,
    problems: sections.filter((text) => text !== '').join('\n'),
  };
}

function countText({ versions, registries, others, unknown }: ModuleCheck): string {
  const hosts = registries.filter(({ answered }) => answered > 0).map(({ host }) => terminalLine(host));
  const count = (state: string) => versions.filter((version) => version.state === state).length;
  const asked =
    versions.length === 0
      ? `No module version was checked${unknown.length === 0 ? ': none comes from a registry' : ''}.`
      : `Checked ${plural(versions.length, 'module version')} with ${hosts.join(', ')}: ` +
        `${count('deprecated')} deprecated, ${count('revoked')} revoked.`;
  const left = others === 0 || versions.length === 0 ? '' : ` Not from a registry: ${plural(others, 'module call')}.`;
  return `${asked}${left}`;
}

function section(unknown: readonly UnknownVersion[], heading: string): string {
  if (unknown.length === 0) return '';
  const lines = unknown.map(({ source, version, problem: { code, message } }) => {
    const named = terminalLine(version === '' ? source : `${source} ${version}`);
    return `  ${named}: ${terminalLine(message)} [${code}]\n`;
  });
  return `${heading}\n${lines.join('')}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
