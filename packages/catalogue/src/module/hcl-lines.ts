/**
 * Where HCL ends a line by its grammar and the parser does not: a module that every client refuses is refused here, where
 * its publisher sees the line. What is in blocks that the registry does not read is left to the client.
 */
import type { Node } from 'web-tree-sitter';
import { entryRefusal } from '../archive/refuse.js';

/** Each item on lines of its own, and what opens it on one. @throws ModuleArchiveError `module_invalid`. */
export function checkItemLines(file: string, items: readonly Node[]): void {
  let lastRow = -1;
  for (const item of items) {
    const row = item.startPosition.row;
    if (row === lastRow) throw invalid(file, row, 'a new line is missing before the next block or argument');
    lastRow = item.endPosition.row;
    const isBlock = item.type === 'block';
    const opening = item.namedChildren.find((child) => child.type === (isBlock ? 'block_start' : 'expression'));
    if (opening === undefined || opening.startPosition.row === row) continue;
    const message = isBlock
      ? 'a block’s type, names and opening brace'
      : 'an argument’s name and the beginning of its value';
    throw invalid(file, row, `${message} must be on one line`);
  }
}

/** Quoted text ends on its line; only an interpolation in it may go on. @throws ModuleArchiveError `module_invalid`. */
export function checkStringLines(file: string, root: Node): void {
  for (const node of root.descendantsOfType(['string_lit', 'quoted_template'])) {
    if (node.startPosition.row === node.endPosition.row) continue;
    // Blanks at the border of an interpolation belong to no child: they are between two.
    let row = node.startPosition.row;
    for (const child of node.namedChildren) {
      const isText = child.type === 'template_literal' && child.startPosition.row !== child.endPosition.row;
      if (isText || child.startPosition.row !== row)
        throw invalid(file, row, 'a quoted string goes over the end of its line');
      row = child.endPosition.row;
    }
  }
}

function invalid(file: string, row: number, message: string): Error {
  return entryRefusal('module_invalid', file, message, row + 1);
}
