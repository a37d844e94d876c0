/** Blocks of a `.tf` file, from its syntax tree. */
import type { Node, Tree } from 'web-tree-sitter';
import { entryRefusal } from '../archive/refuse.js';
import { type ConfigBlock, type ConfigValue, READ_BLOCKS } from './config-block.js';
import { checkItemLines, checkStringLines } from './hcl-lines.js';
import { checkNesting } from './hcl-nesting.js';
import { type HclParser, syntaxErrorAt } from './hcl-parser.js';
import { stringText, toValue } from './hcl-values.js';

/** At the top of a file, and in a block that is read: more is not written by hand. */
const MAX_ITEMS = 20_000;

/**
 * Reads a file's blocks.
 *
 * @throws ModuleArchiveError `module_invalid` with the line of the first error; `module_too_large`.
 */
export function readHcl(parser: HclParser, file: string, text: string): readonly ConfigBlock[] {
  checkNesting(file, text);
  const tree = parser.parse(file, text);
  try {
    if (tree.rootNode.hasError) throw syntaxError(file, tree);
    checkStringLines(file, tree.rootNode);
    return itemsOf(file, bodyOf(tree.rootNode))
      .filter((item) => item.type === 'block' && READ_BLOCKS.has(typeOf(item)))
      .map((item) => toBlock(file, item));
  } finally {
    tree.delete();
  }
}

function toBlock(file: string, node: Node): ConfigBlock {
  const attributes = new Map<string, ConfigValue>();
  const blocks: ConfigBlock[] = [];
  for (const item of itemsOf(file, bodyOf(node))) {
    if (item.type === 'block') {
      // Of all nested blocks only this one is asked for.
      if (typeOf(item) === 'required_providers') blocks.push(toBlock(file, item));
      continue;
    }
    const [name, expression] = item.namedChildren;
    if (name?.type !== 'identifier' || expression === undefined) continue;
    if (attributes.has(name.text)) {
      const message = `the argument "${name.text.slice(0, 100)}" is given twice`;
      throw entryRefusal('module_invalid', file, message, lineOf(item));
    }
    attributes.set(name.text, toValue(expression));
  }
  return { type: typeOf(node), labels: labelsOf(node), attributes, blocks, file, line: lineOf(node) };
}

const lineOf = (node: Node): number => node.startPosition.row + 1;

const typeOf = (block: Node): string => block.firstNamedChild?.text ?? '';

const labelsOf = (block: Node): readonly string[] =>
  block.namedChildren
    .slice(1)
    .filter((child) => child.type === 'string_lit' || child.type === 'identifier')
    .map((child) => (child.type === 'identifier' ? child.text : stringText(child)));

const bodyOf = (node: Node): Node | undefined => node.namedChildren.find((child) => child.type === 'body');

function itemsOf(file: string, body: Node | undefined): readonly Node[] {
  if (body === undefined) return [];
  if (body.namedChildCount > MAX_ITEMS) {
    throw entryRefusal(
      'module_too_large',
      file,
      `the file has more than ${MAX_ITEMS} blocks or arguments: split it`,
      lineOf(body),
    );
  }
  const items = body.namedChildren.filter((child) => child.type === 'block' || child.type === 'attribute');
  checkItemLines(file, items);
  return items;
}

/** Walks down to the first error by cursor: a node's n-th child costs n steps, and a hostile file has many. */
function syntaxError(file: string, tree: Tree): Error {
  const cursor = tree.walk();
  try {
    let isInside = cursor.gotoFirstChild();
    while (isInside) {
      const node = cursor.currentNode;
      if (node.isError || node.isMissing) break;
      isInside = node.hasError ? cursor.gotoFirstChild() : cursor.gotoNextSibling();
    }
    return syntaxErrorAt(file, cursor.startPosition.row + 1);
  } finally {
    cursor.delete();
  }
}
