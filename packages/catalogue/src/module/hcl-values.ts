/** What an expression is worth without evaluating it: constants become JSON, everything else stays as it is written. */
import type { Node } from 'web-tree-sitter';
import type { ConfigValue } from './config-block.js';
import { heredocText, unescapeQuoted } from './hcl-strings.js';

/** Deeper constants stay as written: a walk's depth must not be the publisher's choice. */
const MAX_DEPTH = 64;

/** A number of HCL that JSON writes the same way; `007` is not. */
const JSON_NUMBER = /^(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function toValue(expression: Node): ConfigValue {
  const written = expression.text;
  const text = constantText(unwrap(expression));
  return {
    written,
    text,
    json: text === undefined ? toJson(expression, MAX_DEPTH) : JSON.stringify(text),
    fields: fieldsOf(unwrap(expression)),
    reference: referenceOf(expression),
  };
}

/** The text of a `string_lit` node. */
export function stringText(node: Node): string {
  return unescapeQuoted(node.text.slice(1, -1));
}

/** Through the nodes that only name a rule of the grammar. */
function unwrap(node: Node): Node {
  let inner = node;
  while (['expression', 'literal_value', 'collection_value', 'template_expr'].includes(inner.type)) {
    const [only, ...others] = inner.namedChildren.filter((child) => child.type !== 'comment');
    if (only === undefined || others.length > 0) return inner;
    inner = only;
  }
  return inner;
}

/** The text of a string or heredoc without interpolation; undefined for everything else. */
function constantText(node: Node): string | undefined {
  if (node.type === 'string_lit') return stringText(node);
  const isPlain = node.namedChildren.every(({ type }) => !/^template_(?:interpolation|directive)$/.test(type));
  if (node.type === 'heredoc_template' && isPlain) return heredocText(node.text);
  return undefined;
}

function toJson(expression: Node, depth: number): string | undefined {
  if (depth === 0) return undefined;
  const node = unwrap(expression);
  const text = constantText(node);
  if (text !== undefined) return JSON.stringify(text);
  switch (node.type) {
    case 'bool_lit':
    case 'null_lit':
      return node.text;
    case 'literal_value':
      // Some literals have no node of their own.
      return /^(?:true|false|null)$/.test(node.text) ? node.text : undefined;
    case 'numeric_lit':
      return JSON_NUMBER.test(node.text) ? node.text : undefined;
    case 'operation':
      return /^-\s*\d/.test(node.text) && JSON_NUMBER.test(node.text.slice(1).trim())
        ? `-${node.text.slice(1).trim()}`
        : undefined;
    case 'tuple':
      return listed(
        '[',
        ']',
        node.namedChildren.filter(({ type }) => type === 'expression').map((each) => toJson(each, depth - 1)),
      );
    case 'object':
      return objectJson(node, depth);
    default:
      return undefined;
  }
}

function objectJson(node: Node, depth: number): string | undefined {
  // A map, not an object: `__proto__` is a key like any other.
  const members = new Map<string, string>();
  for (const element of elementsOf(node)) {
    const value = element.value === undefined ? undefined : toJson(element.value, depth - 1);
    if (element.key === undefined || value === undefined) return undefined;
    members.set(element.key, value);
  }
  return listed(
    '{',
    '}',
    [...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`),
  );
}

function listed(open: string, close: string, items: readonly (string | undefined)[]): string | undefined {
  return items.includes(undefined) ? undefined : `${open}${items.join(',')}${close}`;
}

function fieldsOf(node: Node): ReadonlyMap<string, ConfigValue> | undefined {
  if (node.type !== 'object') return undefined;
  const fields = new Map<string, ConfigValue>();
  for (const { key, value } of elementsOf(node)) {
    if (key !== undefined && value !== undefined) fields.set(key, shallowValue(value));
  }
  return fields;
}

function elementsOf(object: Node): readonly { readonly key: string | undefined; readonly value: Node | undefined }[] {
  return object.namedChildren
    .filter((child) => child.type === 'object_elem')
    .map((element) => ({
      key: keyOf(element.childForFieldName('key')),
      value: element.childForFieldName('val') ?? undefined,
    }));
}

/** A bare name or a string; `(expression)` is neither. */
function keyOf(key: Node | null): string | undefined {
  if (key === null || key.text.startsWith('(')) return undefined;
  const node = unwrap(key);
  return constantText(node) ?? (/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(node.text) ? node.text : undefined);
}

/** Of an attribute in an object: its text is all that is asked. */
function shallowValue(value: Node): ConfigValue {
  return {
    written: value.text,
    text: constantText(unwrap(value)),
    json: undefined,
    fields: undefined,
    reference: undefined,
  };
}

function referenceOf(expression: Node): string | undefined {
  const first = expression.namedChildren[0];
  // `provider = "google.eu"` is how it was written before 0.12.
  const text = first?.type === 'variable_expr' ? first.text : constantText(unwrap(expression))?.split('.')[0];
  return text === undefined || text === '' ? undefined : text;
}
