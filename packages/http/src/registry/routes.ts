/** Which handler a path means: templates of segments, matched whole; a literal is preferred to a parameter (REGAPI-1). */
import type { Handler } from './exchange.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  /** `/api/v2/organizations/:organization_name/…`; `:name` matches one segment that is not empty. */
  readonly path: string;
  /** Handlers by method. `HEAD` is answered where `GET` is. */
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
  /** Answers without a token and does not count against a rate: an address that was handed out. */
  readonly isOpen?: boolean;
}

export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** @returns finds the route of a path's decoded segments; undefined where there is none. */
export function createRouteFinder(routes: readonly Route[]): (segments: readonly string[]) => FoundRoute | undefined {
  const byLength = new Map<number, { readonly route: Route; readonly parts: readonly string[] }[]>();
  for (const route of routes) {
    const parts = route.path.slice(1).split('/');
    byLength.set(parts.length, [...(byLength.get(parts.length) ?? []), { route, parts }]);
  }
  const literals = (parts: readonly string[]) => parts.filter((part) => !part.startsWith(':')).length;
  for (const templates of byLength.values()) templates.sort((a, b) => literals(b.parts) - literals(a.parts));

  return (segments) => {
    for (const { route, parts } of byLength.get(segments.length) ?? []) {
      if (!parts.every((part, at) => part === segments[at] || (part.startsWith(':') && segments[at] !== ''))) continue;
      const params: Record<string, string> = {};
      for (const [at, part] of parts.entries()) if (part.startsWith(':')) params[part.slice(1)] = segments[at] ?? '';
      return { route, params };
    }
    return undefined;
  };
}

/** What a path answers to, for `Allow`. */
export function allowedMethods({ methods }: Route): readonly string[] {
  return Object.keys(methods).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/** The handler of a request's method. */
export function handlerOf({ methods }: Route, method: string): Handler | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  // Looked up by own name only: a method comes from outside.
  return Object.hasOwn(methods, wanted) ? methods[wanted as Method] : undefined;
}
