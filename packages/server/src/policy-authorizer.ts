/** Which management calls a token's policies grant (POLICY-2): path patterns with capabilities, from the configuration. */
import type { Authorizer, Capability } from '@postern/ports';

/** Path pattern to capabilities. `*` at the end matches any rest, `+` exactly one segment; `deny` refuses all. */
export type Policy = Readonly<Record<string, readonly (Capability | 'deny')[]>>;

interface Rule {
  readonly pattern: string;
  readonly matches: (path: string) => boolean;
  readonly capabilities: ReadonlySet<string>;
}

/**
 * Of all patterns of all the token's policies that match, the longest decide; where one of them denies, it is denied.
 *
 * @param policies by name, lower case as tokens carry them. A name that is not there grants nothing.
 */
export function createPolicyAuthorizer(policies: Readonly<Record<string, Policy>>): Authorizer {
  const rulesOf = new Map(
    Object.entries(policies).map(([name, policy]) => [
      name.toLowerCase(),
      Object.entries(policy).map(([pattern, capabilities]): Rule => {
        const plain = pattern.replace(/^\//, '');
        return { pattern: plain, matches: matcher(plain), capabilities: new Set(capabilities) };
      }),
    ]),
  );
  return {
    isAllowed({ policies: names, path, capability }) {
      const matching = names.flatMap((name) => rulesOf.get(name) ?? []).filter((rule) => rule.matches(path));
      const longest = Math.max(0, ...matching.map(weight));
      const deciding = matching.filter((rule) => weight(rule) === longest);
      return (
        !deciding.some((rule) => rule.capabilities.has('deny')) &&
        deciding.some((rule) => rule.capabilities.has(capability))
      );
    },
  };
}

/** Literal characters count double, so that an exact pattern goes before one of equal length with a wildcard. */
function weight(rule: Rule): number {
  const wildcards = rule.pattern.split('').filter((unit) => unit === '*' || unit === '+').length;
  return 1 + rule.pattern.length * 2 - wildcards;
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
