/** House rules about single tracked files, as pure functions: path and text in, complaints out. */

export const MAX_LINES = 350;

/** Written with a character class each, so that this file does not break its own rule. */
const FOREIGN = [
  /[/]work[/]/,
  /[/]farm[/]/,
  /[.]library/,
  /registry[.]npmjs/,
  /pypi[.]org/,
  /deb[.]debian/,
  /repo1?[.]maven/,
  /proxy[.]golang/,
  /crates[.]io[/]/,
];

const SWITCHED_OFF = [
  /\b(?:it|test|describe|suite|bench)(?:\.\w+)*\.(?:skip|only|todo)\b/,
  /\b(?:it|test|describe|suite)(?:\.\w+)*\([^\n]*\{\s*(?:skip|only|todo)\b/,
];

/** @typedef {(path: string, text: string) => string[]} SourceRule */

/** @type {SourceRule} */
const length = (path, text) => {
  if (!/^(packages\/[^/]+\/(src|test)|bench|interop|examples|scripts)\/.*\.(ts|mjs)$/.test(path)) return [];
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return lines > MAX_LINES ? [`${path}: ${lines} lines, more than ${MAX_LINES}: a file holds one concept`] : [];
};

/** A test that is not counted as skipped must run; `skipIf` and `runIf` say why at run time. @type {SourceRule} */
const runningTests = (path, text) =>
  /\.(ts|mjs)$/.test(path) ? complaints(path, text, SWITCHED_OFF, 'a test is switched off or singled out') : [];

/** The lockfile names no hosts either, but an integrity hash may spell anything. @type {SourceRule} */
const foreignNames = (path, text) =>
  path === 'pnpm-lock.yaml' ? [] : complaints(path, text, FOREIGN, "a machine's path or a registry's host");

/** @type {SourceRule[]} */
export const SOURCE_RULES = [length, runningTests, foreignNames];

/** @param {string} path @param {string} text @param {RegExp[]} patterns @param {string} what */
function complaints(path, text, patterns, what) {
  return text
    .split('\n')
    .flatMap((line, index) =>
      patterns.some((pattern) => pattern.test(line))
        ? [`${path}:${index + 1}: ${what}: ${line.trim().slice(0, 120)}`]
        : [],
    );
}
