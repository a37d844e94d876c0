/**
 * How an account is reached (ASSOC-1, ASSOC-4): through the role that is associated with it, or as ourselves where it
 * is our own. Any other account is refused before a call is made for it.
 */
import { type CallOptions, ProviderError, systemClock } from '@postern/ports';
import { parseProviderArn } from '../iam/iam-arn.js';
import type { AwsCredentials, AwsProviderOptions } from '../options.js';
import { toProviderError } from '../sdk/sdk-error.js';
import type { Session, Sessions } from './session.js';

export interface Account {
  readonly partition: string;
  readonly accountId: string;
}

export interface Access {
  readonly session: Session;
  readonly credentials: AwsCredentials;
  /** Partition, account and role: what every client and every answer under way is kept by. */
  readonly key: string;
}

/**
 * @throws ProviderError `account_not_allowed` for an account that is neither our own nor associated; `misconfigured` for an
 *   association whose role is in another account; `denied` when the role may not be assumed.
 */
export type FindAccess = (account: Account, options: CallOptions) => Promise<Access>;

export function createAccountAccess(sessions: Sessions, options: AwsProviderOptions): FindAccess {
  const { configuration, clock = systemClock } = options;
  return async (account, call) => {
    const session = await sessions.current(call);
    const association = await configuration.stsAssociation(account.accountId, call);
    if (account.partition !== session.settings.homePartition) throw notAllowed();
    const base = await baseCredentials(session, clock.now());
    if (association === undefined) {
      const own = await session.ownAccount(base);
      if (own.accountId !== account.accountId || own.partition !== account.partition) throw notAllowed();
      return { session, credentials: base, key: keyOf(account, '', undefined) };
    }
    const externalId = association.externalId === '' ? undefined : association.externalId;
    const arn = parseProviderArn(association.stsRole);
    if (arn?.type !== 'role' || arn.accountId !== account.accountId || arn.partition !== account.partition) {
      throw new ProviderError(
        'misconfigured',
        'the role that is associated with the account is not one of that account',
      );
    }
    const role = { ...account, roleArn: association.stsRole, externalId };
    const credentials = await session.assumedRoles.credentials(role, base);
    return { session, credentials, key: keyOf(account, association.stsRole, externalId) };
  };
}

async function baseCredentials(session: Session, now: number): Promise<AwsCredentials> {
  try {
    return await session.baseCredentials();
  } catch (error) {
    throw toProviderError(error, 'credentials', now);
  }
}

function keyOf({ partition, accountId }: Account, roleArn: string, externalId: string | undefined): string {
  return [partition, accountId, roleArn, externalId ?? ''].join(' ');
}

function notAllowed(): ProviderError {
  return new ProviderError('account_not_allowed', 'the account is neither our own nor associated');
}
