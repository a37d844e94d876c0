/**
 * Text of strangers on its way to a terminal: what a registry answers may hold escape sequences that recolour, erase or
 * rename the window, or characters that reorder the line (CHECK-3: stock clients print them raw).
 */

const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\ufeff]/gu;

/** One line: invisible characters become visible, as `\u001b`. */
export function terminalLine(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${hex(character)}`);
}

/** Lines of their own; tabs become spaces. Each is safe by itself. */
export function terminalLines(text: string): readonly string[] {
  return text.split('\n').map((line) => terminalLine(line.replaceAll('\t', '  ')));
}

function hex(character: string): string {
  // Every character of the pattern is one UTF-16 unit.
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}
