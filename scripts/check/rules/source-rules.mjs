/** House rules about single tracked files: path and text in, complaints out. */

export const MAX_LINES = 350;

const CODE = /^(packages\/[^/]+\/(src|test)|internal|bench|interop|examples|scripts|conformance)\/.*\.(ts|mjs)$/;

/** What no line may hold: where, what it is, and how it looks. @type {{ where: RegExp, what: string, patterns: RegExp[] }[]} */
const LINES = [
  {
    // `skipIf` and `runIf` say why at run time, and count as skipped.
    where: /\.(ts|mjs)$/,
    what: 'a test is switched off or singled out',
    patterns: [
      /\b(?:it|test|describe|suite|bench)(?:\.\w+)*\.(?:skip|only|todo)\b/,
      /\b(?:it|test|describe|suite)(?:\.\w+)*\([^\n]*\{\s*(?:skip|only|todo)\b/,
    ],
  },
  {
    // Written with a character class each, so that this file does not break its own rule. An integrity hash of the lockfile
    // may spell anything.
    where: /^(?!pnpm-lock\.yaml$)/,
    what: "a machine's path or a registry's host",
    patterns: [
      /[/](?:work|farm)[/]|[.]library/,
      /registry[.]npmjs|pypi[.]org|deb[.]debian|repo1?[.]maven|proxy[.]golang|crates[.]io[/]/,
    ],
  },
];

/** @param {string} path @param {string} text @returns {string[]} */
export function sourceComplaints(path, text) {
  const lines = text.replace(/\n$/, '').split('\n');
  const complaints = LINES.filter(({ where }) => where.test(path)).flatMap(({ what, patterns }) =>
    lines.flatMap((line, index) =>
      patterns.some((pattern) => pattern.test(line))
        ? [`${path}:${index + 1}: ${what}: ${line.trim().slice(0, 120)}`]
        : [],
    ),
  );
  if (CODE.test(path) && lines.length > MAX_LINES)
    complaints.push(`${path}: ${lines.length} lines, more than ${MAX_LINES}: a file holds one concept`);
  return complaints;
}
