/** What policies grant: path patterns with capabilities, of which the longest that matches decides (POLICY-2). Pure. */
import type { Capability } from '@postern/ports';

export const CAPABILITIES = ['create', 'read', 'update', 'delete', 'list', 'deny'] as const;

/** Path pattern to capabilities. `*` at the end matches any rest, `+` exactly one segment; `deny` refuses all. */
export type Policy = Readonly<Record<string, readonly (typeof CAPABILITIES)[number][]>>;

interface Rule {
  readonly pattern: string;
  readonly isExact: boolean;
  readonly matches: (path: string) => boolean;
  readonly capabilities: ReadonlySet<string>;
}

export type CompiledPolicy = readonly Rule[];

export function compilePolicy(policy: Policy): CompiledPolicy {
  return Object.entries(policy).map(([pattern, capabilities]) => ({
    pattern,
    isExact: !/[*+]/.test(pattern),
    matches: matcher(pattern),
    capabilities: new Set(capabilities),
  }));
}

/**
 * Of all patterns of all the token's policies that match, the longest decide; where one of them denies, it is denied. A
 * `list` of `x` is decided by an exact `x`, or without one by what matches `x/`, so that `x/*` covers it
 * (POLICY-7).
 */
export function decidePolicies(policies: readonly CompiledPolicy[], path: string, capability: Capability): boolean {
  const rules = policies.flat();
  if (capability !== 'list') return decide(longest(rules.filter((rule) => rule.matches(path))), capability);
  const exact = rules.filter((rule) => rule.isExact && rule.pattern === path);
  if (exact.length > 0) return decide(exact, capability);
  return decide(longest(rules.filter((rule) => rule.matches(`${path}/`) || rule.matches(path))), capability);
}

function decide(rules: readonly Rule[], capability: Capability): boolean {
  return (
    !rules.some(({ capabilities }) => capabilities.has('deny')) &&
    rules.some(({ capabilities }) => capabilities.has(capability))
  );
}

function longest(rules: readonly Rule[]): readonly Rule[] {
  const greatest = Math.max(0, ...rules.map(weight));
  return rules.filter((rule) => weight(rule) === greatest);
}

/** Literal characters count double, so that an exact pattern goes before one of equal length with a wildcard. */
function weight({ pattern }: Rule): number {
  const wildcards = pattern.split('').filter((unit) => unit === '*' || unit === '+').length;
  return 1 + pattern.length * 2 - wildcards;
}

/** By segments, never by a regular expression made from configuration (THREAT-37). */
function matcher(pattern: string): (path: string) => boolean {
  const open = pattern.endsWith('*');
  const wanted = (open ? pattern.slice(0, -1) : pattern).split('/');
  return (path) => {
    const given = path.split('/');
    if (open ? given.length < wanted.length : given.length !== wanted.length) return false;
    return wanted.every((segment, index) => {
      const actual = given[index] ?? '';
      if (segment === '+') return actual !== '';
      return open && index === wanted.length - 1 ? actual.startsWith(segment) : actual === segment;
    });
  };
}
