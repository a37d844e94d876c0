/**
 * ARNs of principals: syntax, canonical form, and the patterns that roles are bound to (ROLE-10, ARN-1, ARN-2).
 * Matching is by prefix: no text of a user ever becomes an expression (THREAT-37).
 */

/** Longer texts are no ARN: IAM allows a path of 512 and a name of 128 characters. */
export const MAX_ARN_CHARACTERS = 2048;

const TYPES = ['user', 'role', 'instance-profile', 'assumed-role'] as const;
export type ArnType = (typeof TYPES)[number];

/** An ARN of IAM or STS in its parts. Syntax only: nothing says that the principal exists. */
export interface Arn {
  readonly partition: string;
  readonly accountId: string;
  readonly type: ArnType;
  /** Friendly name, without the path. Of an assumed role: the role's name. */
  readonly name: string;
  /** What stands between type and name, without slashes at the ends; empty if absent. */
  readonly path: string;
  /** Of an assumed role only; empty otherwise. */
  readonly sessionName: string;
}

/** The parts, or undefined where the text is not the ARN of a user, role, instance profile or assumed role. */
export function parseArn(text: string): Arn | undefined {
  if (text.length > MAX_ARN_CHARACTERS) return undefined;
  const [scheme, partition, service, , accountId, resource, ...rest] = text.split(':');
  if (scheme !== 'arn' || (service !== 'iam' && service !== 'sts') || rest.length > 0) return undefined;
  if (partition === undefined || accountId === undefined || resource === undefined) return undefined;
  const [typeText, ...pieces] = resource.split('/');
  const type = TYPES.find((known) => known === typeText);
  const last = pieces.at(-1);
  if (type === undefined || last === undefined) return undefined;
  if (type !== 'assumed-role') {
    return { partition, accountId, type, name: last, path: pieces.slice(0, -1).join('/'), sessionName: '' };
  }
  const [name, sessionName] = pieces;
  if (name === undefined || sessionName === undefined) return undefined;
  return { partition, accountId, type, name, path: '', sessionName };
}

/** `arn:<partition>:iam::<account>:<type>/<name>`: without path or session, an assumed role as its role. */
export function canonicalArn(arn: Pick<Arn, 'partition' | 'accountId' | 'type' | 'name'>): string {
  const type = arn.type === 'assumed-role' ? 'role' : arn.type;
  return `arn:${arn.partition}:iam::${arn.accountId}:${type}/${arn.name}`;
}

/** Whether a bound is meant as a pattern, well-formed or not. */
export function hasStar(bound: string): boolean {
  return bound.includes('*');
}

/**
 * Whether a text is a pattern that may stand in a role: one star, the last character, after a literal partition and
 * account of IAM. `arn:aws:iam::123456789012:*` is the widest: no pattern reaches into another account.
 */
export function isArnPattern(pattern: string): boolean {
  if (pattern.length > MAX_ARN_CHARACTERS || pattern.indexOf('*') !== pattern.length - 1) return false;
  const [scheme, partition, service, region, accountId, resource, ...rest] = pattern.split(':');
  return (
    scheme === 'arn' &&
    isLiteral(partition) &&
    service === 'iam' &&
    region === '' &&
    isLiteral(accountId) &&
    resource !== undefined &&
    rest.length === 0
  );
}

/**
 * Whether a bound admits an ARN: by prefix where it ends in a star, exactly and in full case where it has none. A text
 * with a star that is not a well-formed pattern admits nothing.
 */
export function matchesArnPattern(bound: string, arn: string): boolean {
  if (!hasStar(bound)) return bound === arn;
  return isArnPattern(bound) && arn.startsWith(bound.slice(0, -1));
}

function isLiteral(part: string | undefined): boolean {
  return part !== undefined && part !== '' && !hasStar(part);
}
