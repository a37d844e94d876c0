/** Which ARNs a role may be bound to (ROLE-9, ROLE-10): nothing that reaches into another account, nothing that could never match. */
import { type Arn, hasStar, isArnPattern, parseArn } from '../evidence/arn.js';
import { type Refusal, refuse } from './refusal.js';

/**
 * Bounds on the instance's role and profile. A text without a star is compared as it is, whatever it looks like; one
 * with a star must be a pattern.
 *
 * @param field wire name, for the refusal.
 */
export function checkArnBounds(field: string, bounds: readonly string[]): Refusal | undefined {
  return bounds.every((bound) => !hasStar(bound) || isArnPattern(bound)) ? undefined : notAPattern(field);
}

const PRINCIPALS = 'bound_iam_principal_arn';

/**
 * Bounds on the principal: patterns, or ARNs of users and roles. Without unique ids a role is compared as STS names it,
 * which is without its path; a user's path is in what STS returns.
 */
export function checkPrincipalBounds(bounds: readonly string[], resolveUniqueIds: boolean): Refusal | undefined {
  for (const bound of bounds) {
    if (hasStar(bound)) {
      if (!isArnPattern(bound)) return notAPattern(PRINCIPALS);
      continue;
    }
    const arn = parsePrincipalArn(bound);
    if (arn === undefined) {
      return refuse('principal_arn_invalid', `${PRINCIPALS}: must be ARNs of IAM users and roles`, {
        field: PRINCIPALS,
      });
    }
    if (!resolveUniqueIds && arn.type === 'role' && arn.path !== '') {
      return refuse(
        'principal_arn_unmatchable',
        `${PRINCIPALS}: without resolve_cloud_unique_ids a role is known by its ARN without the path; leave the path out or end it in a star`,
        { field: PRINCIPALS },
      );
    }
  }
  return undefined;
}

/** A user or role of IAM in its parts, or undefined. Syntax only. */
export function parsePrincipalArn(text: string): (Arn & { readonly type: 'user' | 'role' }) | undefined {
  const arn = parseArn(text);
  if (arn === undefined || !text.startsWith(`arn:${arn.partition}:iam::`)) return undefined;
  if (arn.partition === '' || arn.accountId === '' || arn.name === '') return undefined;
  const { type } = arn;
  return type === 'user' || type === 'role' ? { ...arn, type } : undefined;
}

function notAPattern(field: string): Refusal {
  return refuse(
    'arn_pattern_invalid',
    `${field}: a star may only end an ARN, after its partition and account: arn:aws:iam::123456789012:role/path/*`,
    { field },
  );
}
