/**
 * The HCL grammar, as WebAssembly under tree-sitter (ADR 0009). Loaded by the first publication: 30 ms that a server which
 * publishes nothing does not spend.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ProviderError } from '@postern/ports';
import type { Parser, Tree } from 'web-tree-sitter';
import { entryRefusal } from '../archive/refuse.js';

const require = createRequire(import.meta.url);

/** For one file. Half a megabyte of ordinary configuration takes half a second; only hostile nesting takes longer. */
const MAX_PARSE_MS = 3_000;

export interface HclParser {
  /**
   * Parses one file; the caller deletes the tree.
   *
   * @throws ModuleArchiveError `module_too_large` when it takes too long.
   */
  parse(file: string, text: string): Tree;
}

let loading: Promise<HclParser> | undefined;

/** @throws ProviderError `misconfigured` when the grammar is not installed. */
export function loadHclParser(): Promise<HclParser> {
  loading ??= load();
  return loading;
}

async function load(): Promise<HclParser> {
  try {
    const { Language, Parser: TreeParser } = await import('web-tree-sitter');
    await TreeParser.init();
    const grammar = require.resolve('@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-terraform.wasm');
    const parser = new TreeParser();
    parser.setLanguage(await Language.load(await readFile(grammar)));
    return { parse: (file, text) => parse(parser, file, text) };
  } catch (cause) {
    loading = undefined;
    throw new ProviderError('misconfigured', 'The grammar of HCL could not be loaded: install it.', { cause });
  }
}

function parse(parser: Parser, file: string, text: string): Tree {
  const deadline = performance.now() + MAX_PARSE_MS;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
  if (tree !== null) return tree;
  parser.reset();
  throw entryRefusal('module_too_large', file, 'The file takes too long to read: nest less, or split it.');
}
