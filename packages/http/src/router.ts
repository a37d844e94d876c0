/**
 * Finds what answers at a path (WIRE-1, REGAPI-1, PAGE-1): one tree of segments for the auth method, the registry and its
 * page. A literal is preferred to a parameter, a parameter to the rest of a path; a branch that ends nowhere is walked
 * back. Measured against Hono in docs/adr/0014-one-router.md.
 */

export interface Route<Value> {
  /** An HTTP method. */
  readonly method: string;
  /** `/roles/:role`; `:name` is one segment, `:name*` at the end one or more. A trailing slash is an empty last segment. */
  readonly path: string;
  readonly value: Value;
}

export interface RouteMatch<Value> {
  readonly params: Readonly<Record<string, string>>;
  /** By method, in the order they were declared. */
  readonly methods: ReadonlyMap<string, Value>;
}

export interface Router<Value> {
  /** @param segments of the path after its first slash, decoded. */
  match(segments: readonly string[]): RouteMatch<Value> | undefined;
}

interface Node<Value> {
  readonly literals: Map<string, Node<Value>>;
  readonly methods: Map<string, Value>;
  param?: { readonly name: string; readonly node: Node<Value> };
  rest?: { readonly name: string; readonly methods: Map<string, Value> };
}

/**
 * @param isParameter which segments a `:name` matches. Default: any that is not empty.
 * @throws TypeError when two routes claim the same method of the same path, or a parameter has two names in one place.
 */
export function createRouter<Value>(
  routes: Iterable<Route<Value>>,
  isParameter: (segment: string) => boolean = (segment) => segment !== '',
): Router<Value> {
  const root = createNode<Value>();
  for (const route of routes) insert(root, route);
  return {
    match(segments) {
      const params: Record<string, string> = {};
      const methods = walk(root, segments, 0, params, isParameter);
      return methods === undefined ? undefined : { params, methods };
    },
  };
}

function createNode<Value>(): Node<Value> {
  return { literals: new Map(), methods: new Map() };
}

function insert<Value>(root: Node<Value>, route: Route<Value>): void {
  let node = root;
  for (const part of route.path.slice(1).split('/')) {
    if (part.startsWith(':') && part.endsWith('*')) {
      const name = part.slice(1, -1);
      node.rest ??= { name, methods: new Map() };
      claim(node.rest.name === name, route);
      add(node.rest.methods, route);
      return;
    }
    if (part.startsWith(':')) {
      const name = part.slice(1);
      node.param ??= { name, node: createNode() };
      claim(node.param.name === name, route);
      node = node.param.node;
    } else {
      const next = node.literals.get(part) ?? createNode();
      node.literals.set(part, next);
      node = next;
    }
  }
  add(node.methods, route);
}

function add<Value>(methods: Map<string, Value>, route: Route<Value>): void {
  claim(!methods.has(route.method), route);
  methods.set(route.method, route.value);
}

function claim<Value>(free: boolean, { method, path }: Route<Value>): void {
  if (!free) throw new TypeError(`route ${method} ${path} collides with another`);
}

/** Fills `params` on the way back from a match, so that a branch that failed leaves nothing behind. */
function walk<Value>(
  node: Node<Value>,
  segments: readonly string[],
  at: number,
  params: Record<string, string>,
  isParameter: (segment: string) => boolean,
): ReadonlyMap<string, Value> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size > 0 ? node.methods : undefined;
  const literal = node.literals.get(segment);
  const byLiteral = literal && walk(literal, segments, at + 1, params, isParameter);
  if (byLiteral !== undefined) return byLiteral;
  if (node.param !== undefined && isParameter(segment)) {
    const byParam = walk(node.param.node, segments, at + 1, params, isParameter);
    if (byParam !== undefined) {
      params[node.param.name] = segment;
      return byParam;
    }
  }
  if (node.rest === undefined) return undefined;
  const rest = segments.slice(at).join('/');
  if (rest === '') return undefined;
  params[node.rest.name] = rest;
  return node.rest.methods;
}
