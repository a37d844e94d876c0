/** Results as a table, a summary by rule, JUnit XML and JSON. */
import type { Result } from './run-cases.js';

export interface RuleSummary {
  readonly rule: string;
  readonly passed: number;
  readonly failed: number;
}

/** One line a case, with what was wrong below those that failed. */
export function table(results: readonly Result[]): string {
  const width = Math.max(0, ...results.map((result) => result.case.id.length));
  return results
    .map(({ case: { id, rules }, verdict, milliseconds, message = '' }) => {
      const line = `${verdict === 'passed' ? 'pass' : 'FAIL'}  ${String(milliseconds).padStart(5)} ms  ${id.padEnd(width)}  ${rules.join(' ')}`;
      return message === '' ? line : `${line}\n${message.replaceAll(/^/gm, '      ')}`;
    })
    .join('\n');
}

export function byRule(results: readonly Result[]): readonly RuleSummary[] {
  const rules = new Map<string, { passed: number; failed: number }>();
  for (const { case: each, verdict } of results) {
    for (const rule of each.rules) {
      const count = rules.get(rule) ?? { passed: 0, failed: 0 };
      count[verdict] += 1;
      rules.set(rule, count);
    }
  }
  return [...rules]
    .map(([rule, counts]) => ({ rule, ...counts }))
    .sort((a, b) => a.rule.localeCompare(b.rule, 'en', { numeric: true }));
}

export function summary(results: readonly Result[], milliseconds: number): string {
  const failed = results.filter(({ verdict }) => verdict === 'failed').length;
  const rules = byRule(results);
  const broken = rules.filter((rule) => rule.failed > 0);
  return [
    ...rules.map(({ rule, passed, failed: bad }) => `${rule}  ${passed} passed${bad === 0 ? '' : `, ${bad} FAILED`}`),
    '',
    `${results.length} cases: ${results.length - failed} passed, ${failed} failed, in ${(milliseconds / 1000).toFixed(1)} s`,
    `${rules.length} rules: ${rules.length - broken.length} hold, ${broken.length} broken`,
  ].join('\n');
}

export function junit(results: readonly Result[], name: string): string {
  const failures = results.filter(({ verdict }) => verdict === 'failed').length;
  const cases = results.map(({ case: { id, title, file, rules }, milliseconds, message }) => {
    const head = `<testcase classname="${xml(file)}" name="${xml(id)}" time="${milliseconds / 1000}">`;
    const properties = rules.map((rule) => `<property name="rule" value="${xml(rule)}"/>`).join('');
    const failure = message === undefined ? '' : `<failure message="${xml(title)}">${xml(message)}</failure>`;
    return `    ${head}<properties>${properties}</properties>${failure}</testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${xml(name)}" tests="${results.length}" failures="${failures}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

export function json(results: readonly Result[]): string {
  const cases = results.map(({ case: { id, title, file, rules, extension = false }, ...result }) => ({
    ...{ id, title, file, rules, extension },
    ...result,
  }));
  return `${JSON.stringify({ cases, rules: byRule(results) }, null, 2)}\n`;
}

function xml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  // Control characters other than tab and newline are not allowed in XML 1.0, escaped or not.
  const allowed = [...text]
    .filter((character) => character >= ' ' || character === '\n' || character === '\t')
    .join('');
  return allowed.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
