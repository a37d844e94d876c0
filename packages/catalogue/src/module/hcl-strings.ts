/** What a string of HCL says: escapes undone, heredocs without their frame. Interpolations are left as they are written. */

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|(\$\$|%%)(?=\{)/gsu;
const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** The text between quotes. A lone surrogate (`\uD800`) is no character, and becomes U+FFFD. */
export function unescapeQuoted(text: string): string {
  const plain = text.replace(ESCAPE, (_, short?: string, long?: string, letter?: string, doubled?: string) => {
    if (doubled !== undefined) return doubled.slice(1);
    if (letter !== undefined) return SIMPLE.get(letter) ?? letter;
    const code = Number.parseInt(short ?? long ?? '', 16);
    return code > 0x10ffff ? '\uFFFD' : String.fromCodePoint(code);
  });
  return plain.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The lines between `<<EOT` and `EOT`; with `<<-EOT` without the indentation that all of them have. */
export function heredocText(source: string): string {
  const match = /^<<(-?)[^\r\n]*\r?\n([\s\S]*?)[ \t]*\S+$/.exec(source);
  if (match === null) return '';
  const [, dash, lines = ''] = match;
  const plain = (dash === '-' ? outdent(lines) : lines).replace(/(\$\$|%%)(?=\{)/g, (doubled) => doubled.slice(1));
  return plain;
}

function outdent(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  // Not Math.min(...): a heredoc may have more lines than a call has arguments.
  const least = indents.reduce((smallest, each) => Math.min(smallest, each), Number.POSITIVE_INFINITY);
  return Number.isFinite(least) ? lines.map((line) => line.slice(least)).join('\n') : text;
}
