/** Is the thing that IAM answered the one that was asked for? An answer about another account proves nothing (PROVIDER-4). */
import { ProviderError } from '@postern/ports';
import { type ProviderArn, parseProviderArn } from './iam-arn.js';

/** What IAM takes as the name of a user, role or instance profile. An empty one would ask about ourselves. */
const NAME = /^[\w+=,.@-]{1,128}$/;

export function isIamName(name: string): boolean {
  return NAME.test(name);
}

/** @throws ProviderError `unavailable` when the ARN is not of this kind in this account and partition. */
export function requireArn(
  text: string | undefined,
  expected: Pick<ProviderArn, 'partition' | 'accountId' | 'type'>,
  what: string,
): ProviderArn {
  const arn = parseProviderArn(text);
  const isExpected =
    arn !== undefined &&
    arn.partition === expected.partition &&
    arn.accountId === expected.accountId &&
    arn.type === expected.type;
  if (!isExpected) throw new ProviderError('unavailable', `${what}: an answer about something else`);
  return arn;
}
