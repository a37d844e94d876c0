/**
 * The HCL grammar, as WebAssembly under tree-sitter (ADR 0009). Loaded by the first publication: 30 ms that a server which
 * publishes nothing does not spend.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ProviderError } from '@postern/ports';
import type { Parser, Tree } from 'web-tree-sitter';
import { entryRefusal } from '../archive/refuse.js';
import { lineAt } from './hcl-nesting.js';
import type { ParserMemory } from './parser-memory.js';

const require = createRequire(import.meta.url);

/** For one file. Half a megabyte of ordinary configuration takes half a second; only hostile nesting takes longer. */
const MAX_PARSE_MS = 3_000;

export interface HclParser {
  /**
   * Parses one file; the caller deletes the tree.
   *
   * @throws ModuleArchiveError `module_too_large` when it takes too long; `module_invalid` for most errors of syntax.
   */
  parse(file: string, text: string): Tree;
}

let loading: Promise<HclParser> | undefined;

/**
 * @param memory of the parser: a bound on it. Beyond it the parser is broken for good, so only a thread that ends gives one.
 * @throws ProviderError `misconfigured` when the grammar is not installed.
 */
export function loadHclParser(memory?: ParserMemory): Promise<HclParser> {
  loading ??= load(memory);
  return loading;
}

async function load(wasmMemory: ParserMemory | undefined): Promise<HclParser> {
  try {
    const { Language, Parser: TreeParser } = await import('web-tree-sitter');
    await TreeParser.init(wasmMemory === undefined ? {} : { wasmMemory });
    const grammar = require.resolve('@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-terraform.wasm');
    const parser = new TreeParser();
    parser.setLanguage(await Language.load(await readFile(grammar)));
    return { parse: (file, text) => parse(parser, file, text) };
  } catch (cause) {
    loading = undefined;
    throw new ProviderError('misconfigured', 'the grammar of HCL could not be loaded: install it', { cause });
  }
}

function parse(parser: Parser, file: string, text: string): Tree {
  const deadline = performance.now() + MAX_PARSE_MS;
  let failedAt: number | undefined;
  const tree = parser.parse(text, null, {
    progressCallback: ({ currentOffset, hasError }) => {
      if (hasError) failedAt = currentOffset;
      // To recover from an error can cost the square of the text, and nothing but its line is wanted.
      return hasError || performance.now() > deadline;
    },
  });
  if (tree !== null) return tree;
  parser.reset();
  // Two bytes a unit: the parser's text is UTF-16.
  if (failedAt !== undefined) throw syntaxErrorAt(file, lineAt(text, failedAt / 2));
  throw entryRefusal('module_too_large', file, 'the file takes too long to read: nest less, or split it');
}

export function syntaxErrorAt(file: string, line: number): Error {
  const message = 'the configuration does not parse here: check it with "terraform validate"';
  return entryRefusal('module_invalid', file, message, line);
}
