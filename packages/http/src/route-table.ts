/**
 * Which operation a path and verb mean: routes made from the catalogue (WIRE-1, WIRE-7, WIRE-8, WIRE-6, WIRE-11).
 * A tree of segments; a literal is preferred to a parameter, a parameter to a rest of the path.
 */
import type { Operation, Scope, Verb } from '@postern/core-auth';

export interface RouteMatch {
  readonly params: Readonly<Record<string, string>>;
  /** What the path answers to, by verb. */
  readonly operations: ReadonlyMap<Verb, string>;
}

export interface RouteTable {
  /** @param segments decoded, below `/v1/`; a last empty one stands for a trailing slash. */
  match(segments: readonly string[]): RouteMatch | undefined;
  /** Whether the path lies below a mount at all, known or not. */
  isMounted(segments: readonly string[]): boolean;
}

interface Node {
  readonly literals: Map<string, Node>;
  readonly operations: Map<Verb, string>;
  param?: { readonly name: string; readonly node: Node };
  rest?: { readonly name: string; readonly operations: Map<Verb, string> };
}

/** A word character, or one at each end with dots and dashes between them too; ASCII only. */
const PATH_NAME = /^\w(?:[\w.-]*\w)?$/;

/**
 * @param mountPath below `/v1/`, without slashes at the ends.
 * @throws TypeError when two operations claim the same verb of the same path, or a parameter has two names in one place.
 */
export function createRouteTable(operations: readonly Operation[], mountPath: string): RouteTable {
  const prefixes: Readonly<Record<Scope, readonly string[]>> = {
    mount: mountPath.split('/'),
    token: ['auth', 'token'],
    sys: ['sys'],
  };
  const root = createNode();
  for (const operation of operations) {
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      insert(root, [...prefixes[operation.scope], ...path.split('/').filter((part) => part !== '')], operation);
    }
  }
  return {
    match(segments) {
      const params: Record<string, string> = {};
      const found = walk(root, segments, 0, params);
      return found === undefined ? undefined : { params, operations: found };
    },
    isMounted: (segments) =>
      Object.values(prefixes).some((prefix) => prefix.every((part, index) => segments[index] === part)),
  };
}

function createNode(): Node {
  return { literals: new Map(), operations: new Map() };
}

function insert(root: Node, parts: readonly string[], operation: Operation): void {
  let node = root;
  for (const part of parts) {
    if (part.startsWith(':') && part.endsWith('*')) {
      const name = part.slice(1, -1);
      node.rest ??= { name, operations: new Map() };
      claim(node.rest.name === name, operation);
      add(node.rest.operations, operation);
      return;
    }
    if (part.startsWith(':')) {
      const name = part.slice(1);
      node.param ??= { name, node: createNode() };
      claim(node.param.name === name, operation);
      node = node.param.node;
    } else {
      const next = node.literals.get(part) ?? createNode();
      node.literals.set(part, next);
      node = next;
    }
  }
  add(node.operations, operation);
}

function add(operations: Map<Verb, string>, operation: Operation): void {
  claim(!operations.has(operation.verb), operation);
  operations.set(operation.verb, operation.id);
}

function claim(free: boolean, operation: Operation): void {
  if (!free) throw new TypeError(`the route of operation ${operation.id} collides with another`);
}

/** Fills `params` on the way back from a match, so that a branch that failed leaves nothing behind. */
function walk(
  node: Node,
  segments: readonly string[],
  at: number,
  params: Record<string, string>,
): ReadonlyMap<Verb, string> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.operations.size > 0 ? node.operations : undefined;
  // A trailing slash names the list of what lies below; nothing else is spelled with one.
  if (segment === '' && at === segments.length - 1 && node.operations.has('list')) return node.operations;
  const literal = node.literals.get(segment);
  const byLiteral = literal && walk(literal, segments, at + 1, params);
  if (byLiteral !== undefined) return byLiteral;
  if (node.param !== undefined && PATH_NAME.test(segment)) {
    const byParam = walk(node.param.node, segments, at + 1, params);
    if (byParam !== undefined) {
      params[node.param.name] = segment;
      return byParam;
    }
  }
  if (node.rest === undefined) return undefined;
  const rest = segments.slice(at).join('/');
  if (rest === '') return undefined;
  params[node.rest.name] = rest;
  return node.rest.operations;
}
