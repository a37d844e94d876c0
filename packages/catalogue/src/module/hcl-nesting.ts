/**
 * Bounds what the parser may be made to do by a file that has no error: how deep its brackets, strings and operators nest.
 * One pass over the text, before it is parsed. Whether it is HCL at all is the parser's to say.
 */
import { entryRefusal } from '../archive/refuse.js';

/** Brackets, strings and interpolations within each other. Real modules nest some ten deep. */
const MAX_NESTING = 250;

/** `!` and `-` in a row, blanks between them. */
const MAX_OPERATORS = 100;

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')', '${': '}' };
const HEREDOC = /<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy;
/** What needs no look: everything but comments, brackets, quotes and the operators. */
const PLAIN = /[^#/"{}[\]()<!-]+/y;
const COMMENT = /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const OPERATORS = /[!-](?:[ \t]*[!-])*/y;
/** In a quoted string: text, escapes, and interpolations that are none. */
const QUOTED_TEXT = /(?:[^"\\$%]|\\[\s\S]|\$\$\{|%%\{|[$%](?!\{))+/y;
const HEREDOC_TEXT = /(?:[^\n$%]|\$\$\{|%%\{|[$%](?!\{))+/y;

interface Frame {
  /** `"`, `<<`, `${`, or an opening bracket. */
  readonly kind: string;
  /** Of a heredoc: its last line. */
  readonly end?: RegExp | undefined;
}

/** @throws ModuleArchiveError `module_too_large`. */
export function checkNesting(file: string, text: string): void {
  const open: Frame[] = [];
  let at = 0;
  const refuse = () => {
    const message = `more than ${MAX_NESTING} levels are nested here: nest less`;
    return entryRefusal('module_too_large', file, message, lineAt(text, at));
  };
  const push = (frame: Frame) => {
    if (open.length >= MAX_NESTING) throw refuse();
    open.push(frame);
  };
  const skip = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    at = pattern.lastIndex;
    return match[1] ?? match[0];
  };

  while (at < text.length) {
    const { kind, end } = open.at(-1) ?? { kind: '', end: undefined };
    if (kind === '"' || kind === '<<') {
      skip(kind === '"' ? QUOTED_TEXT : HEREDOC_TEXT);
      const isInterpolation = text.startsWith('${', at) || text.startsWith('%{', at);
      const isEnd = text[at] === kind;
      at += isInterpolation ? 2 : 1;
      if (isInterpolation) push({ kind: '${' });
      // The marker of a heredoc stands alone on a line.
      else if (isEnd || (end !== undefined && skip(end) !== undefined)) open.pop();
      continue;
    }
    if (skip(PLAIN) !== undefined || skip(COMMENT) !== undefined) continue;
    const operators = skip(OPERATORS);
    if (operators !== undefined) {
      if (operators.replaceAll(/[ \t]/g, '').length > MAX_OPERATORS) throw refuse();
      continue;
    }
    const marker = skip(HEREDOC);
    if (marker !== undefined) {
      const end = new RegExp(`[ \\t]*${marker}[ \\t]*(?:\\r?\\n|$)`, 'uy');
      if (skip(end) === undefined) push({ kind: '<<', end });
      continue;
    }
    const character = text[at] ?? '';
    at += 1;
    if (character === '"' || CLOSING[character] !== undefined) push({ kind: character });
    else if (CLOSING[kind] === character) open.pop();
  }
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
