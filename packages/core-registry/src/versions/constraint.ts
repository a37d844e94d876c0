/**
 * Version constraints in Terraform's syntax: terms joined by commas, all of which must hold. `= 1.2.0` (or `1.2.0`),
 * `!=`, `>`, `>=`, `<`, `<=`, and `~>`, which lets only the last given part grow: `~> 1.2` is `>= 1.2.0, < 2.0.0`,
 * `~> 1.2.3` is `>= 1.2.3, < 1.3.0`, `~> 1` is `>= 1.0.0`. Parts left out are zero.
 *
 * Prereleases: as in Terraform only a term that names one exactly (`= 2.0.0-beta.1`) admits it. With
 * `includePrereleases` they take their place in the order, so that `< 2.0.0` holds for `2.0.0-beta.1`.
 */
import type { SemVer } from 'semver';
import { isPrerelease, parseVersion } from './version.js';

const MAX_CONSTRAINT_CHARACTERS = 255;
const MAX_TERMS = 16;

type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=' | '~>';

interface Term {
  readonly operator: Operator;
  readonly version: SemVer;
  /** How many of major, minor and patch were written. */
  readonly parts: number;
}

/** A parsed constraint: all of its terms must hold. */
export type Constraint = readonly Term[];

/** Each part excludes the next one's characters: no backtracking to speak of. */
const TERM = /^(>=|<=|!=|~>|=|>|<)?[ \t]*(\d+)(?:\.(\d+)(?:\.(\d+)(-[0-9A-Za-z.-]+)?)?)?$/;

/** Undefined for an invalid constraint. */
export function parseConstraint(text: string): Constraint | undefined {
  if (text.length > MAX_CONSTRAINT_CHARACTERS) return undefined;
  const texts = text.split(',');
  if (texts.length > MAX_TERMS) return undefined;
  const terms = texts.map((term) => parseTerm(term.trim()));
  return terms.every((term) => term !== undefined) ? terms : undefined;
}

function parseTerm(text: string): Term | undefined {
  const match = TERM.exec(text);
  if (match === null) return undefined;
  const [, operator = '=', major = '', minor, patch, prerelease = ''] = match;
  // Also refuses leading zeros and numbers beyond what can be compared.
  const version = parseVersion(`${major}.${minor ?? 0}.${patch ?? 0}${prerelease}`);
  if (version === undefined) return undefined;
  const parts = minor === undefined ? 1 : patch === undefined ? 2 : 3;
  // The pattern's first group admits these texts only.
  return { operator: operator as Operator, version, parts };
}

/** Whether a constraint holds for a version. Build metadata does not count. */
export function satisfies(
  version: SemVer,
  constraint: Constraint,
  { includePrereleases = false }: { readonly includePrereleases?: boolean | undefined } = {},
): boolean {
  const isNamed = (term: Term) => term.operator === '=' && term.version.compare(version) === 0;
  if (isPrerelease(version) && !includePrereleases && !constraint.some(isNamed)) return false;
  return constraint.every((term) => holds(version, term));
}

function holds(version: SemVer, { operator, version: bound, parts }: Term): boolean {
  const order = version.compare(bound);
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '~>':
      if (order < 0) return false;
      return (parts < 2 || version.major === bound.major) && (parts < 3 || version.minor === bound.minor);
  }
}
