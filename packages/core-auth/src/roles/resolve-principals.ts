/**
 * The unique ids behind the principals of a role (ROLE-8, PRINCIPAL-2, ASSOC-4):
 * bound to them, a role does not admit a principal that was deleted and created again under the same name.
 */
import type { CallOptions, PrincipalDirectory } from '@postern/ports';
import { callProvider } from '../call-provider.js';
import { AuthError } from '../errors.js';
import { hasStar } from '../evidence/arn.js';
import { parsePrincipalArn } from './arn-bounds.js';

/** Partitions that there are. A name outside them is never asked for: no provider could be. */
const PARTITIONS = new Set([
  'aws',
  'aws-cn',
  'aws-us-gov',
  'aws-iso',
  'aws-iso-b',
  'aws-iso-e',
  'aws-iso-f',
  'aws-eusc',
]);

/**
 * One lookup an ARN, in order, none for a pattern; the first that fails ends it. The directory knows principals by name
 * only, so the ARN that it returns is compared whole: another path, account or partition is another principal.
 *
 * @returns one id for every ARN without a star.
 * @throws AuthError `principal_unresolvable` where the provider knows no such principal; `provider_unavailable`,
 *   `provider_denied`, `provider_misconfigured`, `account_not_allowed` where it could not be found out.
 */
export async function resolvePrincipals(
  directory: PrincipalDirectory,
  arns: readonly string[],
  options: CallOptions,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const text of arns.filter((arn) => !hasStar(arn))) {
    const arn = parsePrincipalArn(text);
    if (arn === undefined || !PARTITIONS.has(arn.partition)) throw unresolvable(text);
    const { partition, accountId, type, name } = arn;
    const query = { partition, accountId, type, name };
    const found = await callProvider(() => directory.describePrincipal(query, { signal: options.signal }));
    if (found === undefined || found.arn !== text || found.uniqueId === '') throw unresolvable(text);
    ids.push(found.uniqueId);
  }
  return ids;
}

function unresolvable(arn: string): AuthError {
  return new AuthError(
    'principal_unresolvable',
    `bound_iam_principal_arn: principal ${arn} not found; the ARN must include the path`,
    {
      details: { field: 'bound_iam_principal_arn', arn },
    },
  );
}
