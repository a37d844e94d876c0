/**
 * The configuration language of the CLI as far as its configuration file needs it: blocks with labels, attributes, strings,
 * lists, comments. Not a reader of modules: no expressions, no heredocs. Whatever else is written makes the file unreadable.
 */

/** A text, or the entries of a block or object; null for a value that is of no interest here. */
export type ConfigValue = string | readonly ConfigEntry[] | null;

/** `host "registry.acme.example" { … }` has the path `['host', 'registry.acme.example']`. */
export interface ConfigEntry {
  readonly path: readonly string[];
  readonly value: ConfigValue;
}

/** Says where, never what: the file holds tokens. */
export class ConfigSyntaxError extends Error {
  override readonly name = 'ConfigSyntaxError';
}

interface Token {
  readonly kind: 'name' | 'text' | 'mark';
  readonly text: string;
  readonly line: number;
}

const SKIPPED = /(?:\s+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const TEXT = /"((?:[^"\\\n]|\\.)*)"/y;
const NAME = /[A-Za-z0-9_.+-]+/y;
const MARKS = '{}[]=:,';

/** Blocks in blocks: the file has three levels. */
const MAX_DEPTH = 16;

/** @throws ConfigSyntaxError */
export function parseConfigLanguage(source: string): readonly ConfigEntry[] {
  const reader = new ConfigReader([...tokensOf(source)]);
  return reader.entries(undefined, 0);
}

function* tokensOf(source: string): Generator<Token> {
  let at = 0;
  let line = 1;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match === null) return null;
    at += match[0].length;
    line += match[0].split('\n').length - 1;
    return match;
  };
  for (;;) {
    take(SKIPPED);
    if (at >= source.length) return;
    const text = take(TEXT);
    if (text !== null) {
      yield { kind: 'text', text: unescaped(text[1] ?? '', line), line };
      continue;
    }
    const name = take(NAME);
    if (name !== null) {
      yield { kind: 'name', text: name[0], line };
      continue;
    }
    const mark = source.charAt(at);
    if (!MARKS.includes(mark)) throw new ConfigSyntaxError(`line ${line}: unexpected character`);
    at += 1;
    yield { kind: 'mark', text: mark, line };
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

function unescaped(text: string, line: number): string {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|(.))/g,
    (_whole, code: string | undefined, letter: string | undefined) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      const plain = ESCAPES[letter ?? ''];
      if (plain === undefined) throw new ConfigSyntaxError(`line ${line}: unknown escape`);
      return plain;
    },
  );
}

class ConfigReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Up to the closing mark, or else the end of the file. */
  entries(closing: '}' | undefined, depth: number): readonly ConfigEntry[] {
    if (depth > MAX_DEPTH) throw this.#refused();
    const found: ConfigEntry[] = [];
    for (;;) {
      while (this.#skip(','));
      if (closing === undefined ? this.#peek() === undefined : this.#skip(closing)) return found;
      found.push(this.#entry(depth));
    }
  }

  #entry(depth: number): ConfigEntry {
    const path = [this.#word()];
    if (this.#skip('=') || this.#skip(':')) return { path, value: this.#value(depth) };
    while (!this.#skip('{')) path.push(this.#word());
    return { path, value: this.entries('}', depth + 1) };
  }

  #value(depth: number): ConfigValue {
    if (this.#skip('{')) return this.entries('}', depth + 1);
    if (this.#skip('[')) {
      if (depth > MAX_DEPTH) throw this.#refused();
      while (!this.#skip(']')) if (!this.#skip(',')) this.#value(depth + 1);
      return null;
    }
    const isText = this.#peek()?.kind === 'text';
    const word = this.#word();
    return isText ? word : null;
  }

  /** A name or a text. */
  #word(): string {
    const token = this.#peek();
    if (token === undefined || token.kind === 'mark') throw this.#refused();
    this.#at += 1;
    return token.text;
  }

  #skip(mark: string): boolean {
    const token = this.#peek();
    if (token?.kind !== 'mark' || token.text !== mark) return false;
    this.#at += 1;
    return true;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #refused(): ConfigSyntaxError {
    const line = this.#peek()?.line;
    return new ConfigSyntaxError(line === undefined ? 'unexpected end of file' : `line ${line}: unexpected token`);
  }
}
